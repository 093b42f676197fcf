// Speed of the planner: fully judged candidates a second on one core (derivation, rules, memory and step time).
#include <benchmark/benchmark.h>

#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/written_plan.h"

namespace primus_plan {
namespace {

struct Subject {
  const char* name;
  const char* framework;
  const char* model;
  std::int64_t world;
  std::int64_t global_batch;
  std::int64_t sequence;
};
constexpr Subject subjects[] = {
    {"megatron 7B/8", "megatron", "llama2_7B", 8, 512, 4096},
    {"megatron 70B/64", "megatron", "llama3.1_70B", 64, 512, 8192},
    {"megatron 671B/1024", "megatron", "deepseek_v3", 1024, 8192, 4096},
    {"torchtitan 70B/64", "torchtitan", "llama3.1_70B", 64, 512, 8192},
    {"maxtext 70B/64", "maxtext", "llama3_70B", 64, 512, 8192},
};

void search_whole_space(benchmark::State& state) {
  const Subject& subject = subjects[state.range(0)];
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, {});
  const LoadResult loaded = loader.load_text("e.yaml", experiment_around(subject.framework, subject.model), {});
  const auto prepared = prepare(loaded.experiments.at(0).modules.at(0), environment);
  PlanRequest request;
  request.worlds = {subject.world};
  request.task = {.global_batch = subject.global_batch, .sequence_length = subject.sequence};
  request.hardware = find_hardware("MI300X", files);
  std::size_t judged = 0;
  std::size_t space = 0;
  for (auto _ : state) {
    const PlanResult result = make_plan(*prepared, request);
    judged += result.judged;
    space = result.space;
    benchmark::DoNotOptimize(result.points.data());
  }
  state.counters["judged/s"] = benchmark::Counter(static_cast<double>(judged), benchmark::Counter::kIsRate);
  state.counters["judged"] = static_cast<double>(judged) / static_cast<double>(state.iterations());
  state.counters["space"] = static_cast<double>(space);
  state.SetLabel(subject.name);
}
BENCHMARK(search_whole_space)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace primus_plan
