#pragma once

#include <memory>

#include "backends/megatron/config.h"
#include "backends/megatron/parsed.h"
#include "primus_plan/backends/candidates.h"
#include "primus_plan/config/environment.h"

namespace primus_plan::megatron {

PlanKnobs plan_knobs();

/// See Prepared::candidate_judge. All arguments but the task must outlive it.
std::unique_ptr<CandidateJudge> candidate_judge(const MegatronConfig& base, const ParsedKeys& parsed,
                                                const Environment& environment, const Origin& module,
                                                const PlanTask& task);

/// See Prepared::candidate_overrides.
CandidateOverrides candidate_overrides(const MegatronConfig& base, const Candidate& candidate, const PlanTask& task,
                                       bool only_changes);

}  // namespace primus_plan::megatron
