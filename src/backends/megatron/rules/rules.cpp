#include "backends/megatron/rules/rules.h"

#include <array>

namespace primus_plan::megatron {

std::span<const RuleList> all_rule_lists() {
  static const std::array lists{degree_rules(), process_group_rules(), batch_rules(), ramp_up_rules(), training_rules()};
  return lists;
}

}  // namespace primus_plan::megatron
