#include "backends/megatron/derive/derive.h"

namespace primus_plan::megatron {

void apply_transformer_config(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  // core_transformer_config_from_args: the flag decides, the number alone does nothing.
  if (!*config.group_query_attention) {
    rewriter.set(config.num_query_groups, config.num_attention_heads.value,
                 "group_query_attention is off: one group a head");
  } else if (!config.num_query_groups.value) {
    rewriter.set(config.num_query_groups, config.num_attention_heads.value, "unset: one group a head");
  }
  if (*config.moe_layer_recompute) {
    rewriter.set(config.recompute_granularity, std::string_view("selective"), "moe_layer_recompute");
  }
  if (!config.microbatch_group_size_per_vp_stage.value) {
    rewriter.set(config.microbatch_group_size_per_vp_stage, *config.pipeline_model_parallel_size,
                 "unset: pipeline_model_parallel_size");
  }
  if (*config.moe_enable_deepep)
    rewriter.set(config.moe_flex_dispatcher_backend, std::string_view("deepep"), "moe_enable_deepep");
  if (config.moe_expert_capacity_factor.value.value_or(0) < 0) {
    rewriter.set(config.moe_expert_capacity_factor, std::optional<double>{}, "a negative factor means no capacity");
  }
  if (*config.moe_router_padding_for_fp8) {
    rewriter.set(config.moe_router_padding_for_quantization, true, "moe_router_padding_for_fp8");
  }
  const bool has_groups = config.moe_router_group_topk.value.value_or(0) != 0;
  if (config.moe_router_topk_limited_devices.value.value_or(0) != 0 && !has_groups) {
    rewriter.set(config.moe_router_group_topk, config.moe_router_topk_limited_devices.value,
                 "moe_router_topk_limited_devices");
    rewriter.set(config.moe_router_num_groups, *config.expert_model_parallel_size,
                 "moe_router_topk_limited_devices: one group an expert-parallel rank");
  }
}

}  // namespace primus_plan::megatron
