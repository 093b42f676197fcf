#include "backends/megatron/rules/rules.h"

#include <array>

namespace primus_plan::megatron {

std::span<const RuleList> all_rule_lists() {
  // clang-format off
  static const std::array lists{
      degree_rules(),
      process_group_rules(),
      batch_rules(),
      ramp_up_rules(),
      training_rules(),
      sequence_rules(),
      context_parallel_rules(),
      dimension_rules(),
      recompute_rules(),
      recompute_layer_rules(),
      recompute_module_rules(),
      recompute_layer_id_rules(),
      offload_rules(),
      precision_rules(),
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
  };
  // clang-format on
  return lists;
}

}  // namespace primus_plan::megatron
