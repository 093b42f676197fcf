// Lines as --set KEY=VALUE and, after a line "--", as Primus's own override tokens, over a small experiment.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/target.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/planner/written_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace primus_plan;  // NOLINT(google-build-using-namespace): the whole file is one function
  static const MemoryFiles files;
  static const Environment environment;
  static const Loader loader(files, environment);
  static const std::string experiment = experiment_around("megatron", "llama2_7B");
  ExperimentOptions options;
  bool tokens = false;
  for (std::string& line : fuzz::lines(fuzz::text_of(data, size))) {
    const std::size_t equals = line.find('=');
    if (line == "--") {
      tokens = true;
    } else if (tokens) {
      options.tokens.push_back(std::move(line));
    } else if (equals != std::string::npos) {
      options.sets.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  const LoadResult loaded = loader.load_text("experiment.yaml", experiment, options);
  fuzz::require(loaded.errors.empty() != loaded.experiments.empty(), "an experiment or the reasons why there is none");
  for (const Experiment& one : loaded.experiments) {
    const Launch launch{.world_size = 16, .nodes = 2, .gpus_per_node = 8, .source = {}, .assumed = false};
    analyze(one, launch, environment, {});
  }
  return 0;
}
