#include "primus_plan/estimate/estimate.h"

namespace primus_plan {
namespace {

Utilization utilization(double flops_per_gpu, double seconds, double peak) {
  Utilization out;
  if (seconds > 0) out.flops_per_second_per_gpu = flops_per_gpu / seconds;
  if (peak > 0) out.share_of_peak = out.flops_per_second_per_gpu / peak;
  return out;
}

}  // namespace

Estimate estimate_run(const Workload& workload, const Hardware* hardware, const StepOptions& options) {
  Estimate out;
  if (workload.model.kinds.empty()) return out;
  out.parameters = model_parameters(workload.model);
  out.active = active_parameters(workload.model);
  out.flops = estimate_flops(workload);
  const MemoryDevice device = hardware != nullptr ? MemoryDevice{hardware->fabric == Fabric::mesh} : MemoryDevice{};
  out.memory = estimate_memory(workload, device);
  if (hardware == nullptr) return out;
  if (hardware->memory_bytes > 0 && !out.memory.stages.empty()) {
    out.fit = compare_with_hardware(out.memory, hardware->memory_bytes);
  }
  if (workload.run.launch.world_size <= 0 || workload.run.batch.tokens_per_step() <= 0) return out;
  out.step = estimate_step(workload, *hardware, options);
  const double peak = hardware->peak_flops(workload.precision.compute);
  out.counted = utilization(out.flops.counted_per_gpu(), out.step.seconds, peak);
  out.common = utilization(out.flops.common_per_gpu(), out.step.seconds, peak);
  return out;
}

}  // namespace primus_plan
