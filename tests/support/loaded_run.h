#pragma once

#include <algorithm>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/planner/trial.h"

namespace primus_plan::test {

/// The one module of a text, loaded over the built-in presets and judged at a world size (0: the text's own), with what
/// it points into.
class LoadedRun {
 public:
  LoadedRun(const std::string& yaml, std::int64_t world)
      : loaded_(loader_.load_text("exp.yaml", yaml, {})),
        hardware_(find_hardware("MI300X", files_)),
        analysis_(judge(world)),
        trials_(*find_backend(module().framework), module(), environment_, analysis_, &hardware_) {}

  const Experiment& experiment() const { return loaded_.experiments.at(0); }
  const Module& module() const { return experiment().modules.at(0); }
  const Analysis& analysis() const { return analysis_; }
  const Trials& trials() const { return trials_; }
  const Hardware& hardware() const { return hardware_; }

 private:
  Analysis judge(std::int64_t world) const {
    LaunchOptions size;
    if (world > 0) size.world_size = world;
    const Launch launch = find_launch(size, environment_, experiment());
    return analyze(experiment(), launch, environment_, {.with_text = true, .with_workload = true}).at(0);
  }

  MemoryFiles files_;
  Environment environment_;
  Loader loader_{files_, environment_};
  LoadResult loaded_;
  Hardware hardware_;
  Analysis analysis_;
  Trials trials_;
};

/// An experiment of one module.
inline std::string experiment_text(const std::string& framework, const std::string& model,
                                   const std::string& overrides) {
  std::string text =
      "work_group: team\nuser_name: user\nexp_name: small\nworkspace: ./output\nmodules:\n  pre_trainer:\n";
  text +=
      "    framework: " + framework + "\n    config: pre_trainer.yaml\n    model: " + model + ".yaml\n    overrides:\n";
  std::size_t start = 0;
  while (start < overrides.size()) {
    const std::size_t end = std::min(overrides.find('\n', start), overrides.size());
    text += "      " + overrides.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return text;
}

}  // namespace primus_plan::test
