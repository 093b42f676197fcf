#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/loading.h"
#include "primus_plan/support/meant_word.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

struct Folder {
  std::string_view name;
  std::string_view what;
  Layer layer;
};

Folder folder_of(PresetKind kind) {
  switch (kind) {
    case PresetKind::module:
      return {"modules", "module preset", Layer::module_preset};
    case PresetKind::model:
      return {"models", "model preset", Layer::model_preset};
    case PresetKind::platform:
      break;
  }
  return {"platforms", "platform preset", Layer::platform_preset};
}

std::string configs_of(const PresetRoot& root) {
  return (root.folder.empty() ? std::string(built_in_folder) : root.folder) + "/configs";
}

std::string file_name(const std::string& name, PresetKind kind) {
  const bool complete = kind == PresetKind::platform || name.ends_with(".yaml") || name.ends_with(".yml");
  return complete ? name : name + ".yaml";
}

/// The path to read, or nothing when it leads out of `configs`. Both are compared by their letters, as Primus does.
std::optional<std::string> path_within(const std::string& configs, const fs::path& below) {
  std::error_code no_working_folder;
  const fs::path whole = fs::absolute(configs, no_working_folder);
  const fs::path base = (no_working_folder ? fs::path(configs) : whole).lexically_normal();
  const fs::path target = (base / below).lexically_normal();
  const fs::path relative = target.lexically_relative(base);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return (fs::path(configs) / relative).string();
}

constexpr std::array known_frameworks{std::string_view("megatron"), std::string_view("torchtitan"),
                                      std::string_view("maxtext")};

Finding not_found(const Loading& loading, const Folder& folder, const std::string& framework, const Entry& name,
                  const std::string& configs) {
  const std::string place = framework.empty() ? fmt::format("{}/{}", configs, folder.name)
                                              : fmt::format("{}/{}/{}", configs, folder.name, framework);
  std::vector<std::string> help;
  const std::vector<std::string> there = loading.files.list(place);
  const std::vector<std::string_view> candidates(there.begin(), there.end());
  const std::string wanted = file_name(name.value->text, PresetKind::model);
  const std::vector<std::string_view> near = nearest_names(wanted, candidates, 3);
  if (!near.empty()) help.push_back(fmt::format("did you mean {}?", fmt::join(near, ", ")));
  if (loading.root.folder.empty() && !there.empty()) {
    help.push_back(fmt::format("the built-in presets are those of {}; for others give a Primus tree with --primus-root",
                               built_in_version));
  }
  const std::vector<std::string_view> frameworks = nearest_names(framework, known_frameworks, 1);
  if (there.empty() && !frameworks.empty() && frameworks.front() != framework)
    help.push_back(fmt::format("did you mean framework: {}?", frameworks.front()));
  if (there.empty()) {
    help.push_back(loading.root.folder.empty()
                       ? fmt::format("the built-in presets have none for {}; give a Primus tree with --primus-root",
                                     framework.empty() ? "platforms" : framework)
                       : fmt::format("{} has no presets", place));
  }
  Finding finding = fault(loading::preset_not_found, name.value->origin,
                          fmt::format("{} {} is not in {}", folder.what, to_text(*name.value), place), std::move(help));
  if (const auto meant = meant_word(wanted, candidates))
    finding.fixes.push_back(replacement("name the nearest preset", *name.value, std::string(*meant)));
  return finding;
}

}  // namespace

NodePtr load_preset(Loading& loading, PresetKind kind, const std::string& framework, const Entry& name) {
  const Folder folder = folder_of(kind);
  if (!name.value->is_string()) {
    loading.fail(fault(loading::wrong_shape, name.value->origin,
                       fmt::format("{} must name a {}, not {}", name.key->text, folder.what, to_text(*name.value))));
    return nullptr;
  }
  const std::string configs = configs_of(loading.root);
  const fs::path below = fs::path(folder.name) / framework / file_name(name.value->text, kind);
  std::string path = (fs::path(configs) / below).lexically_normal().string();
  if (kind != PresetKind::platform) {  // Primus does not check platforms
    const auto inside = path_within(configs, below);
    if (!inside) {
      loading.fail(fault(loading::path_traversal, name.value->origin,
                         fmt::format("{} {} leads out of {}", folder.what, to_text(*name.value), configs)));
      return nullptr;
    }
    path = *inside;
  }
  if (path.find('\0') != std::string::npos || !loading.files.exists(path)) {
    loading.fail(not_found(loading, folder, framework, name, configs));
    return nullptr;
  }
  const PresetPtr preset = loading.presets.get(path, folder.layer);
  loading.own(preset->document.sources);
  if (!preset->error) return preset->document.root;
  Finding finding = *preset->error;
  if (name.value->origin) finding.related.push_back({name.value->origin, fmt::format("{} named here", folder.what)});
  loading.fail(std::move(finding));
  return nullptr;
}

}  // namespace primus_plan
