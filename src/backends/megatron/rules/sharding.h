#pragma once

#include <string_view>

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// What the rules about optimizers and sharding ask of a run. No allocation, no text.

/// Megatron looks for the word inside the name: muon and dist_muon both count.
inline bool uses_muon(const MegatronRun& run) {
  return run.config.optimizer.value.find("muon") != std::string_view::npos;
}

/// torch FSDP2 or Megatron-FSDP wraps the model.
inline bool uses_fsdp(const MegatronRun& run) { return *run.config.use_torch_fsdp2 || *run.config.use_megatron_fsdp; }

/// Both are asked for: no setting of the other keys makes that legal.
inline bool uses_both_fsdps(const MegatronRun& run) {
  return *run.config.use_torch_fsdp2 && *run.config.use_megatron_fsdp;
}

/// Megatron's own DistributedDataParallel wraps the model.
inline bool uses_plain_ddp(const MegatronRun& run) { return !uses_fsdp(run); }

/// num_distributed_optimizer_instances; null stands for 1.
inline Int optimizer_instances(const MegatronRun& run) {
  return run.config.num_distributed_optimizer_instances.value.value_or(1);
}

}  // namespace primus_plan::megatron
