#include "primus_plan/config/presets.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "primus_plan/config/embedded.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

std::string join(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", name);
}

/// The folder that holds configs/ in a checkout, or in the package folder itself; nothing when there is none.
std::optional<std::string> package_folder(const std::string& checkout, const FileReader& files) {
  if (files.exists(join(checkout, "primus/configs"))) return join(checkout, "primus");
  if (files.exists(join(checkout, "configs/modules"))) return checkout;
  return std::nullopt;
}

/// A root that somebody gave must be one.
PresetRoot require_root(const std::string& given, std::string_view giver, const FileReader& files) {
  if (const auto folder = package_folder(given, files)) return {*folder, given};
  throw LoadError(fault(loading::primus_root_invalid, {},
                        fmt::format("{} {}: there is no folder {}", giver, given, join(given, "primus/configs")),
                        {"name the folder of a Primus checkout, or leave it out for the built-in presets"}));
}

/// The nearest folder at or above the file's that is a Primus checkout.
std::optional<PresetRoot> root_above(const std::string& experiment_path, const FileReader& files) {
  const fs::path path = experiment_path == "-" ? fs::path() : fs::path(experiment_path).lexically_normal();
  for (fs::path folder = path.parent_path();; folder = folder.parent_path()) {
    if (files.exists(join(folder.string(), "primus/configs"))) {
      return PresetRoot{join(folder.string(), "primus"), folder.empty() ? "." : folder.string()};
    }
    if (folder.empty() || folder == folder.parent_path() || folder.filename() == "..") break;
  }
  if (path.is_absolute()) return std::nullopt;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  return error ? std::nullopt : root_above(absolute.string(), files);
}

/// The path below the built-in folder, without "." and ".."; nothing for other paths.
std::optional<std::string> built_in_path(const std::string& path) {
  const std::string normal = fs::path(path).lexically_normal().generic_string();
  if (!is_built_in(normal)) return std::nullopt;
  std::string_view rest = normal;
  rest.remove_prefix(built_in_folder.size());
  if (!rest.starts_with('/')) return std::nullopt;
  return std::string(rest.substr(1));
}

std::span<const EmbeddedFile> embedded_below(std::string_view prefix) {
  const std::span<const EmbeddedFile> all = embedded_presets();
  const auto first = std::ranges::lower_bound(all, prefix, {}, &EmbeddedFile::path);
  const auto last =
      std::find_if_not(first, all.end(), [&](const EmbeddedFile& f) { return f.path.starts_with(prefix); });
  return {first, last};
}

}  // namespace

PresetRoot find_preset_root(const std::optional<std::string>& given, const std::string& experiment_path,
                            const Environment& environment, const FileReader& files) {
  if (given) return require_root(*given, "--primus-root", files);
  for (const char* variable : {"PRIMUS_ROOT", "PRIMUS_PATH"}) {
    const auto value = environment.get(variable);
    if (value && !value->empty()) return require_root(std::string(*value), fmt::format("${}", variable), files);
  }
  if (auto above = root_above(experiment_path, files)) return *std::move(above);
  return {.folder = "", .label = std::string(built_in_label)};
}

std::optional<std::string> FilesWithPresets::read(const std::string& path, ReadFailure& failure) const {
  const auto inside = built_in_path(path);
  if (!inside) return files_.read(path, failure);
  const std::span<const EmbeddedFile> found = embedded_below(*inside);
  if (!found.empty() && found.front().path == *inside) return std::string(found.front().text);
  const bool folder = !embedded_below(*inside + "/").empty();
  failure = {.reason = folder ? "it is a folder" : "no such file", .missing = !folder};
  return std::nullopt;
}

bool FilesWithPresets::exists(const std::string& path) const {
  const auto inside = built_in_path(path);
  if (!inside) return files_.exists(path);
  const std::span<const EmbeddedFile> found = embedded_below(*inside);
  return (!found.empty() && found.front().path == *inside) || !embedded_below(*inside + "/").empty();
}

std::vector<std::string> FilesWithPresets::list(const std::string& folder) const {
  const auto inside = built_in_path(folder);
  if (!inside) return files_.list(folder);
  std::vector<std::string> names;
  const std::string prefix = *inside + "/";
  for (const EmbeddedFile& file : embedded_below(prefix)) names.emplace_back(file.path.substr(prefix.size()));
  return names;
}

}  // namespace primus_plan
