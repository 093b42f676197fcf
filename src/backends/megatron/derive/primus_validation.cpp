#include "backends/megatron/derive/derive.h"

namespace primus_plan::megatron {

void apply_rocm_validation(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  const Node* stage_value = config.turbo_sync_free_moe_stage.value;
  const Int stage = stage_value != nullptr && stage_value->kind == Kind::integer ? stage_value->integer : 0;
  constexpr const char* because = "turbo_sync_free_moe_stage";
  if (stage >= 1 && stage <= 3) {
    rewriter.set(config.moe_use_fused_router_with_aux_score, true, because);
    rewriter.set(config.moe_permute_fusion, true, because);
    const bool quantized = config.fp8.value.data() != nullptr || config.fp4.value.data() != nullptr;
    rewriter.set(config.moe_router_padding_for_quantization, quantized, because);
  }
  if (stage >= 2 && stage <= 3) {
    rewriter.set(config.use_turbo_deepep, true, because);
    rewriter.set(config.use_turbo_grouped_gemm, true, because);
  }
  if (stage == 3) rewriter.set(config.use_turbo_fused_act_with_probs, true, because);
  if (*config.dump_pp_data && *config.pipeline_model_parallel_size == 1)
    rewriter.set(config.dump_pp_data, false, "PP is 1");
}

}  // namespace primus_plan::megatron
