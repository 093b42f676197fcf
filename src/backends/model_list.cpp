#include "primus_plan/backends/model_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/backends/backend.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/config/presets.h"

namespace primus_plan {
namespace {

constexpr std::string_view extension = ".yaml";
constexpr std::string_view no_file = "models.yaml";  // experiments that are made up to look into presets

/// Presets that no experiment names: the common parts of others.
bool is_part(std::string_view name) {
  static constexpr std::array parts = {std::string_view("language_model"), std::string_view("primus_megatron_model"),
                                       std::string_view("diffusion_model")};
  return name.ends_with("_base") || std::ranges::find(parts, name) != parts.end();
}

/// The model that the framework builds from the preset alone, as estimates of an experiment around it see it.
ModelShape read_shape(const Loader& loader, const Backend& backend, const std::string& preset,
                      const ExperimentOptions& options) {
  const std::string text = fmt::format(
      "work_group: w\nuser_name: u\nexp_name: e\nworkspace: w\nmodules:\n  pre_trainer:\n    framework: {}\n"
      "    config: pre_trainer.yaml\n    model: {}\n",
      backend.name(), preset);
  const LoadResult loaded = loader.load_text(std::string(no_file), text, options);
  if (loaded.experiments.empty() || loaded.experiments.front().modules.empty()) return {};
  const Module& module = loaded.experiments.front().modules.front();
  if (module.params == nullptr) return {};
  const auto prepared = backend.prepare(module, loader.environment());
  constexpr std::int64_t node = 8;
  const Analysis analysis = prepared->decide(assume_launch(node, node), {.with_text = false, .with_workload = true});
  return analysis.workload != nullptr ? analysis.workload->model : ModelShape{};
}

PresetRoot root_of(const Loader& loader, const std::optional<std::string>& given) {
  return find_preset_root(given, std::string(no_file), loader.environment(), loader.files());
}

}  // namespace

std::string ListedModel::name() const {
  return preset.ends_with(extension) ? preset.substr(0, preset.size() - extension.size()) : preset;
}

std::vector<ListedModel> list_models(const Loader& loader, const std::optional<std::string>& primus_root,
                                     std::string_view framework) {
  const FilesWithPresets files(loader.files());
  const PresetRoot root = root_of(loader, primus_root);
  const std::string configs = (root.folder.empty() ? std::string(built_in_folder) : root.folder) + "/configs";
  ExperimentOptions options;
  options.primus_root = primus_root;
  std::vector<ListedModel> out;
  for (const Backend* backend : backends()) {
    if (!framework.empty() && backend->name() != framework) continue;
    for (const std::string& preset : files.list(fmt::format("{}/models/{}", configs, backend->name()))) {
      ListedModel model{.framework = std::string(backend->name()), .preset = preset, .shape = {}, .size = {}};
      if (!preset.ends_with(extension) || is_part(model.name())) continue;
      model.shape = read_shape(loader, *backend, preset, options);
      model.size = size_of(model.shape);
      out.push_back(std::move(model));
    }
  }
  return out;
}

std::string models_root(const Loader& loader, const std::optional<std::string>& primus_root) {
  return root_of(loader, primus_root).label;
}

}  // namespace primus_plan
