#pragma once

#include <span>

#include "backends/megatron/run.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::megatron {

using RuleList = std::span<const Rule<MegatronRun>>;

// One function a topic, one topic a file. rules.cpp joins them; their order is the order of the reports.
RuleList degree_rules();
RuleList process_group_rules();
RuleList batch_rules();
RuleList ramp_up_rules();
RuleList training_rules();

/// All topics.
std::span<const RuleList> all_rule_lists();

}  // namespace primus_plan::megatron
