#include "one_run.h"

#include <fmt/core.h>

#include <utility>

#include "command.h"
#include "primus_plan/backends/analyze.h"

namespace primus_plan::app {

OneRun::OneRun(std::string path, const ExperimentFlags& experiment, const OutputFlags& output)
    : path_(std::move(path)),
      environment_(experiment.make_environment()),
      loader_(files_, environment_),
      setups_(experiment, {}, files_, environment_) {
  setup_ = &setups_.of(path_);
  loaded_ = load_one(path_, loader_, setup_->experiment, output);
}

Launch OneRun::launch(const Experiment& experiment, const LaunchFlags& flags) const {
  return find_launch(flags.options(), environment_, experiment, setup_->launch_setting(path_));
}

std::vector<Analysis> OneRun::analyses(const Experiment& experiment, const LaunchFlags& flags,
                                       const AnalyzeOptions& asked) const {
  std::vector<Analysis> out = analyze_nodes(experiment, launch(experiment, flags), environment_, asked);
  apply_choice(out, setup_->choice(path_));
  return out;
}

void OneRun::each_module(const LaunchFlags& launch_flags, const std::string& hardware,
                         const std::function<void(const RunOfFile&)>& each) const {
  for (const Experiment& experiment : loaded_.experiments) {
    const GpuPart part = find_gpu_part(hardware, experiment, setup_->settings, files_);
    const std::vector<Analysis> analyses = this->analyses(experiment, launch_flags, {});
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      const Module& module = experiment.modules[i];
      const Backend* backend = find_backend(module.framework);
      if (backend == nullptr || module.params == nullptr || !module.is_run) {
        throw Trouble(fmt::format("module {} of framework {} is not checked here", module.name, module.framework));
      }
      each({*backend, module, analyses[i], part});
    }
  }
}

}  // namespace primus_plan::app
