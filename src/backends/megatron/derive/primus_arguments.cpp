#include "backends/megatron/derive/derive.h"

namespace primus_plan::megatron {

void apply_primus_arguments(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  // patches/args/sequence_parallel_tp1_patches.py
  if (*config.tensor_model_parallel_size == 1 && *config.sequence_parallel) {
    rewriter.set(config.sequence_parallel, false, "TP is 1");
  }
  // patches/args/mock_data_patches.py
  if (*config.mock_data) {
    for (Raw* path : {&config.data_path, &config.train_data_path, &config.valid_data_path, &config.test_data_path}) {
      rewriter.set(*path, nullptr, "mock_data is on");
    }
  }
  // patches/args/hsdp_args_patches.py: only where its own checks pass; a failure there is logged and swallowed.
  const Int replicate = config.data_parallel_replicate_degree.value.value_or(1);
  if (replicate > 1 && *config.use_torch_fsdp2 && *config.ckpt_format == "torch_dcp") {
    rewriter.set(config.num_distributed_optimizer_instances, replicate,
                 "data_parallel_replicate_degree asks for that many replicas (HSDP)");
  }
  // patches/moe_dispatcher_patches.py
  if (*config.enable_primus_turbo && *config.use_turbo_deepep) {
    rewriter.set(config.moe_enable_deepep, true, "use_turbo_deepep");
    rewriter.set(config.moe_token_dispatcher_type, std::string_view("flex"), "use_turbo_deepep");
  }
}

}  // namespace primus_plan::megatron
