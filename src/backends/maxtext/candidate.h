#pragma once

#include <memory>

#include "backends/maxtext/config.h"
#include "backends/maxtext/layers.h"
#include "backends/maxtext/parsed.h"
#include "primus_plan/backends/candidates.h"

namespace primus_plan::maxtext {

PlanKnobs plan_knobs(const MaxTextConfig& base);

/// See Prepared::candidate_judge. All arguments but the task must outlive it.
std::unique_ptr<CandidateJudge> candidate_judge(const MaxTextConfig& base, const LayeredConfig& layers,
                                                const ParsedKeys& parsed, const Origin& module, const PlanTask& task);

/// See Prepared::candidate_overrides.
CandidateOverrides candidate_overrides(const MaxTextConfig& base, const Candidate& candidate, const PlanTask& task,
                                       bool only_changes);

}  // namespace primus_plan::maxtext
