#include "backends/torchtitan/rules/rules.h"

#include <array>

namespace primus_plan::torchtitan {

std::span<const RuleList> all_rule_lists() {
  static const std::array lists{degree_rules(),       batch_rules(),        validation_rules(),  step_rules(),
                                stage_rules(),        part_rules(),         micro_batch_rules(), schedule_rules(),
                                expert_rules(),       sharding_rules(),     optimizer_rules(),   checkpoint_rules(),
                                sequence_rules(),     attention_rules(),    recompute_rules(),   precision_rules(),
                                quantization_rules(), quantize_key_rules(), model_rules(),       moe_argument_rules(),
                                key_rules(),          type_rules(),         advice_rules()};
  return lists;
}

}  // namespace primus_plan::torchtitan
