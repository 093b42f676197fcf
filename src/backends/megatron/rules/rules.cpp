#include "backends/megatron/rules/rules.h"

#include <array>

namespace primus_plan::megatron {

std::span<const RuleList> all_rule_lists() {
  static const std::array lists{
      degree_rules(),          process_group_rules(),    batch_rules(),
      ramp_up_rules(),         training_rules(),         recompute_rules(),
      recompute_layer_rules(), recompute_module_rules(), recompute_layer_id_rules(),
      offload_rules(),         precision_rules(),        cuda_graph_rules(),
      checkpoint_rules(),      run_mode_rules(),         special_model_rules(),
  };
  return lists;
}

}  // namespace primus_plan::megatron
