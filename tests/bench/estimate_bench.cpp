// Speed of one estimate: what a planner asks for every candidate.
#include <benchmark/benchmark.h>

#include "primus_plan/config/hardware.h"
#include "primus_plan/estimate/accuracy.h"
#include "primus_plan/estimate/memory.h"

namespace primus_plan {
namespace {

/// The published row of a model with most pipeline stages.
MeasuredRow deepest_row(std::string_view model) {
  MeasuredRow out;
  for (const MeasuredRow& row : read_measured(published_measurements())) {
    if (row.model == model && row.pipeline >= out.pipeline) out = row;
  }
  return out;
}

void memory(benchmark::State& state, const char* model) {
  const Workload workload = workload_of_row(deepest_row(model));
  for (auto _ : state) benchmark::DoNotOptimize(estimate_memory(workload));
}
BENCHMARK_CAPTURE(memory, dense_one_stage, "llama3_8b");
BENCHMARK_CAPTURE(memory, experts_pipeline, "deepseek_v3");

void step(benchmark::State& state, const char* model, bool simulate) {
  const MeasuredRow row = deepest_row(model);
  const Workload workload = workload_of_row(row);
  const Hardware hardware = hardware_of_row(row).value();
  for (auto _ : state) benchmark::DoNotOptimize(estimate_step(workload, hardware, {.simulate = simulate}));
}
BENCHMARK_CAPTURE(step, dense_one_stage, "llama3_8b", false);
BENCHMARK_CAPTURE(step, dense_pipeline, "llama3_405b", false);
BENCHMARK_CAPTURE(step, experts_pipeline, "deepseek_v3", false);
BENCHMARK_CAPTURE(step, experts_pipeline_simulated, "deepseek_v3", true)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace primus_plan
