#include "workbench.h"

#include <utility>

#include "root_keys.h"

namespace primus_plan::app {

Workbench::Workbench(const ExperimentFlags& experiment, const LaunchFlags& launch, const ChoiceFlags& choice)
    : experiment_(experiment),
      launch_(launch),
      choice_(choice),
      environment_(experiment.make_environment()),
      files_(disk_) {
  forget();
}

void Workbench::forget() {
  setups_.emplace(experiment_, choice_, files_, environment_);
  judging_.emplace(launch_, 0, std::string(), files_, environment_);
}

std::optional<lsp::Judged> Workbench::judge(const std::string& path, const std::string& text) {
  // Editors open all sorts of YAML. A bare snippet is one of ours when it says so.
  const bool says_so = text.find("# primus-plan:") != std::string::npos;
  const bool may_be_one = says_so || find_root_keys(text).may_be_experiment();
  if (!may_be_one || path.ends_with("/" + std::string(settings_name))) return std::nullopt;
  const Chosen chosen{.input = {.path = path, .from_folder = !says_so}, .setup = &setups_->of(path)};
  std::optional<LoadResult> loaded = judging_->load_text(chosen, text);
  if (!loaded) return std::nullopt;
  FileReport report = judging_->judge(chosen, *loaded, Judging::With::findings);
  return lsp::Judged{std::move(*loaded), std::move(report)};
}

std::vector<std::string> Workbench::presets(const std::string& path, const std::string& folder) {
  try {
    const PresetRoot root = find_preset_root(setups_->of(path).experiment.primus_root, path, environment_, files_);
    const std::string configs = (root.folder.empty() ? std::string(built_in_folder) : root.folder) + "/configs/";
    return FilesWithPresets(files_).list(configs + folder);
  } catch (const std::exception&) {
    return {};  // settings or a root that cannot be used: the findings say so
  }
}

}  // namespace primus_plan::app
