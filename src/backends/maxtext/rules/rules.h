#pragma once

#include <span>

#include "backends/maxtext/run.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::maxtext {

using RuleList = std::span<const Rule<MaxTextRun>>;

// One function a topic, one topic a file. rules.cpp joins them; their order is the order of the reports.
RuleList key_rules();
RuleList layer_rules();
RuleList degree_rules();
RuleList slice_rules();
RuleList mesh_rules();
RuleList batch_rules();
RuleList data_rules();
RuleList length_rules();
RuleList pipeline_rules();
RuleList prefetch_rules();
RuleList expert_rules();
RuleList expert_kernel_rules();
RuleList router_rules();
RuleList sharding_rules();
RuleList diloco_rules();
RuleList head_rules();
RuleList context_rules();
RuleList strategy_rules();
RuleList precision_rules();
RuleList model_conflict_rules();
RuleList option_conflict_rules();

/// All topics.
std::span<const RuleList> all_rule_lists();

}  // namespace primus_plan::maxtext
