// Speed of the steps between a file and a verdict: loading, deciding without text, judging with text.
#include <benchmark/benchmark.h>

#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"

namespace primus_plan {
namespace {

/// A whole experiment of a backend, on the built-in presets.
std::string experiment(const std::string& framework, const std::string& model, const std::string& overrides) {
  return "work_group: w\nuser_name: u\nexp_name: e\nworkspace: ./output\nmodules:\n  pre_trainer:\n    framework: " +
         framework + "\n    config: pre_trainer.yaml\n    model: " + model + "\n    overrides:\n" + overrides;
}

struct Subject {
  const char* name;
  std::string text;
};

const Subject& subject(std::int64_t index) {
  static const Subject subjects[] = {
      {"megatron",
       experiment(
           "megatron", "llama3.1_70B.yaml",
           "      tensor_model_parallel_size: 8\n      pipeline_model_parallel_size: 2\n      micro_batch_size: 1\n"
           "      global_batch_size: 512\n      mock_data: true\n")},
      {"torchtitan", experiment("torchtitan", "llama3.1_70B.yaml", "      parallelism: {tensor_parallel_degree: 8}\n")},
      {"maxtext", experiment("maxtext", "llama3_70B.yaml", "      ici_fsdp_parallelism: 8\n")},
  };
  return subjects[index];
}

constexpr Launch launch_of_64() {
  return {.world_size = 64, .nodes = 8, .gpus_per_node = 8, .source = {}, .assumed = false};
}

void load_experiment(benchmark::State& state) {
  const MemoryFiles files;
  const Loader loader(files, {});
  for (auto _ : state) benchmark::DoNotOptimize(loader.load_text("experiment.yaml", subject(state.range(0)).text, {}));
  state.SetLabel(subject(state.range(0)).name);
}
BENCHMARK(load_experiment)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);

void prepare_and_decide(benchmark::State& state, bool prepare_each_time, bool with_text) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("experiment.yaml", subject(state.range(0)).text, {});
  const Module& module = loaded.experiments.at(0).modules.at(0);
  const Backend& backend = *find_backend(module.framework);
  auto prepared = backend.prepare(module, environment);
  for (auto _ : state) {
    if (prepare_each_time) prepared = backend.prepare(module, environment);
    benchmark::DoNotOptimize(prepared->decide(launch_of_64(), {.with_text = with_text}));
  }
  state.SetLabel(subject(state.range(0)).name);
}
/// What the planner asks for every candidate: derivations and all rules, no text.
BENCHMARK_CAPTURE(prepare_and_decide, decide_only, false, false)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(prepare_and_decide, decide_with_text, false, true)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(prepare_and_decide, prepare_and_decide_with_text, true, true)
    ->DenseRange(0, 2)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace primus_plan
