#include "backends/maxtext/rules/rules.h"

#include <array>

namespace primus_plan::maxtext {

std::span<const RuleList> all_rule_lists() {
  static const std::array lists{key_rules(),       layer_rules(),          degree_rules(),
                                slice_rules(),     mesh_rules(),           batch_rules(),
                                data_rules(),      length_rules(),         pipeline_rules(),
                                prefetch_rules(),  expert_rules(),         expert_kernel_rules(),
                                router_rules(),    sharding_rules(),       diloco_rules(),
                                head_rules(),      context_rules(),        strategy_rules(),
                                precision_rules(), model_conflict_rules(), option_conflict_rules()};
  return lists;
}

}  // namespace primus_plan::maxtext
