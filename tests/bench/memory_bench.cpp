// One estimate, without text.

#include <benchmark/benchmark.h>

#include "primus_plan/estimate/measured.h"
#include "primus_plan/estimate/memory.h"

namespace primus_plan {
namespace {

/// A run of the published table with this many pipeline stages and model chunks, or more.
Workload published_run(std::int64_t pipeline, std::int64_t chunks) {
  for (const MeasuredRow& row : read_measured(published_measurements())) {
    if (row.complete && row.pipeline >= pipeline && row.virtual_pipeline >= chunks) return workload_of_row(row);
  }
  return {};
}

void estimate_one_stage(benchmark::State& state) {
  const Workload workload = published_run(1, 1);
  for (auto _ : state) benchmark::DoNotOptimize(estimate_memory(workload));
}
BENCHMARK(estimate_one_stage);

void estimate_interleaved_pipeline(benchmark::State& state) {
  const Workload workload = published_run(16, 4);
  for (auto _ : state) benchmark::DoNotOptimize(estimate_memory(workload));
}
BENCHMARK(estimate_interleaved_pipeline);

}  // namespace
}  // namespace primus_plan
