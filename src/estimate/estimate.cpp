#include "primus_plan/estimate/estimate.h"

namespace primus_plan {

MemoryDevice memory_device(const Hardware* hardware) {
  if (hardware == nullptr) return {};
  return {.amd = hardware->fabric == Fabric::mesh, .extra_bytes = hardware->calibration.memory_extra_bytes};
}

Estimate estimate_run(const Workload& workload, const Hardware* hardware) {
  Estimate out;
  if (workload.model.kinds.empty()) return out;
  out.parameters = model_parameters(workload.model);
  out.active = active_parameters(workload.model);
  out.flops = estimate_flops(workload);
  out.memory = estimate_memory(workload, memory_device(hardware));
  if (hardware == nullptr) return out;
  if (hardware->memory_bytes > 0 && !out.memory.stages.empty()) {
    const Fit fit = compare_with_hardware(out.memory, hardware->memory_bytes);
    // A sum that lacks something, as activations without a micro-batch, can be too large, but never small enough.
    const bool is_whole = workload.unknown.empty() && workload.run.batch.micro > 0;
    if (is_whole || fit == Fit::does_not_fit) out.fit = fit;
  }
  if (workload.run.launch.world_size <= 0 || workload.run.batch.tokens_per_step() <= 0) return out;
  out.step = estimate_step(workload, *hardware, {.simulate = true});
  out.peak_flops = hardware->peak_flops(workload.precision.compute);
  return out;
}

}  // namespace primus_plan
