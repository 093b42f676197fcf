// Any bytes as a file for `check`: loading, every backend's derivations, rules and layout.
#include <cstddef>
#include <cstdint>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace primus_plan;  // NOLINT(google-build-using-namespace): the whole file is one function
  static const MemoryFiles files;
  static const Environment environment;
  static const Loader loader(files, environment);
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Experiment& experiment : loader.load_text("experiment.yaml", text, {}).experiments) {
    for (const std::int64_t world : {0, 8, 24}) {
      const Launch launch{.world_size = world, .nodes = world / 8, .gpus_per_node = 8, .source = {}, .assumed = false};
      analyze(experiment, launch, environment, {});
    }
  }
  return 0;
}
