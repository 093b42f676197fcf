#include "backends/megatron/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// world / product when that is whole and every factor positive, else 0.
Int replicas(Int world, Int a, Int b, Int c) {
  if (world <= 0 || a <= 0 || b <= 0 || c <= 0) return 0;
  const Int product = saturating_multiply(saturating_multiply(a, b), c);
  return world % product == 0 ? world / product : 0;
}

}  // namespace

void blank_unreadable_degrees(MegatronConfig& config) {
  for (Count* degree : {&config.tensor_model_parallel_size, &config.pipeline_model_parallel_size,
                        &config.context_parallel_size, &config.expert_model_parallel_size}) {
    if (degree->is_unreadable) degree->value = 0;
  }
}

void derive_degrees(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  Degrees& degrees = run.degrees;
  degrees.tensor = *config.tensor_model_parallel_size;
  degrees.pipeline = *config.pipeline_model_parallel_size;
  degrees.context = *config.context_parallel_size;
  degrees.expert = *config.expert_model_parallel_size;
  const bool follows = !config.expert_tensor_parallel_size.value && !config.expert_tensor_parallel_size.is_unreadable;
  if (follows && degrees.tensor > 0) {
    rewriter.set(config.expert_tensor_parallel_size, degrees.tensor,
                 "expert tensor parallelism defaults to tensor_model_parallel_size");
  }
  degrees.expert_tensor = config.expert_tensor_parallel_size.value.value_or(0);

  // arguments.py:validate_args: experts take no part in the dense grid.
  degrees.data = replicas(run.launch.world_size, degrees.tensor, degrees.pipeline, degrees.context);
  // parallel_state.py:initialize_model_parallel: the expert grid is built on the same ranks, without context parallel.
  degrees.expert_data = replicas(run.launch.world_size, degrees.expert_tensor, degrees.expert, degrees.pipeline);

  // Who shares one copy of the training state: all data and context ranks with a distributed optimizer or FSDP, cut
  // into num_distributed_optimizer_instances shards.
  const Int dp_cp = degrees.data * degrees.context;
  const bool shards = *config.use_distributed_optimizer || *config.use_torch_fsdp2 || *config.use_megatron_fsdp;
  const Int instances = config.num_distributed_optimizer_instances.value.value_or(1);
  const bool splits = shards && instances >= 1 && dp_cp % instances == 0;
  degrees.data_shard = splits ? dp_cp / instances : (shards ? dp_cp : (dp_cp > 0 ? 1 : 0));
  degrees.data_replicate = degrees.data_shard > 0 ? dp_cp / degrees.data_shard : 0;
}

}  // namespace primus_plan::megatron
