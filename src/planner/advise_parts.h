#pragma once

#include <string>
#include <vector>

#include "primus_plan/planner/advise.h"

namespace primus_plan {

/// "micro_batch_size 1 -> 2, recompute_granularity null -> full": what a trial's keys change in a module; keys that
/// stay are left out.
std::string describe_changes(const Module& module, const std::vector<KeyValue>& changes);
/// "MG203 global-batch-not-divisible: global_batch_size 100 is not …" of the first error; empty for a legal run.
std::string first_error(const Trials& trials, const Wish& wish);

Footprint find_footprint(const Trials& trials, const Trial& now);
std::vector<GoalAdvice> goal_advice(const Trials& trials, const Trial& now, const Module& module);
std::vector<std::string> learning_rate_advice(const Trial& now, const Module& module);
/// Fills `top` and `tried`.
void find_top_changes(const Trials& trials, const Trial& now, const Module& module, Advice& out);

}  // namespace primus_plan
