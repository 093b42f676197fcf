#include "backends/megatron/rules/rules.h"

#include <array>

namespace primus_plan::megatron {

std::span<const RuleList> all_rule_lists() {
  // clang-format off
  static const std::array lists{
      written_key_rules(),
      value_type_rules(),
      choice_rules(),
      degree_rules(),
      process_group_rules(),
      batch_rules(),
      ramp_up_rules(),
      training_rules(),
      training_data_rules(),
      training_step_rules(),
      parameter_schedule_rules(),
      number_range_rules(),
      sequence_rules(),
      context_exchange_rules(),
      context_parallel_rules(),
      dimension_rules(),
      layer_option_rules(),
      data_parallel_rules(),
      optimizer_rules(),
      optimizer_state_rules(),
      torch_fsdp2_rules(),
      fsdp_mode_rules(),
      megatron_fsdp_rules(),
      recompute_rules(),
      recompute_layer_rules(),
      recompute_module_rules(),
      recompute_layer_id_rules(),
      offload_rules(),
      precision_rules(),
      fp8_layer_rules(),
      cuda_graph_rules(),
      checkpoint_rules(),
      run_mode_rules(),
      special_model_rules(),
      even_split_rules(),
      uneven_split_rules(),
      virtual_pipeline_rules(),
      layer_layout_rules(),
      schedule_rules(),
      primus_pipeline_rules(),
      zero_bubble_rules(),
      hybrid_model_rules(),
      expert_rules(),
      dense_model_rules(),
      expert_layer_rules(),
      token_dispatcher_rules(),
      shared_expert_rules(),
      router_rules(),
      router_group_rules(),
      load_balancing_rules(),
      expert_capacity_rules(),
      grouped_gemm_rules(),
      expert_overlap_rules(),
      expert_overlap_option_rules(),
      turbo_rules(),
      sync_free_expert_rules(),
      turbo_deepep_rules(),
      turbo_precision_rules(),
      mega_moe_rules(),
      latent_attention_rules(),
      attention_variant_rules(),
  };
  // clang-format on
  return lists;
}

}  // namespace primus_plan::megatron
