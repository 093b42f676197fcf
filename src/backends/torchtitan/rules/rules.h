#pragma once

#include <span>

#include "backends/torchtitan/run.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::torchtitan {

using RuleList = std::span<const Rule<TorchTitanRun>>;

// One function a topic, one topic a file. rules.cpp joins them; their order is the order of the reports.
RuleList degree_rules();
RuleList batch_rules();
RuleList validation_rules();
RuleList step_rules();
RuleList stage_rules();
RuleList part_rules();
RuleList schedule_rules();
RuleList micro_batch_rules();
RuleList expert_rules();
RuleList sharding_rules();
RuleList optimizer_rules();
RuleList checkpoint_rules();
RuleList sequence_rules();
RuleList attention_rules();
RuleList recompute_rules();
RuleList precision_rules();
RuleList quantization_rules();
RuleList quantize_key_rules();
RuleList model_rules();
RuleList moe_argument_rules();
RuleList key_rules();
RuleList type_rules();
RuleList advice_rules();

/// All topics.
std::span<const RuleList> all_rule_lists();

}  // namespace primus_plan::torchtitan
