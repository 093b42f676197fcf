#pragma once

#include <memory>

#include "backends/torchtitan/config.h"
#include "backends/torchtitan/parsed.h"
#include "primus_plan/backends/candidates.h"
#include "primus_plan/config/environment.h"

namespace primus_plan::torchtitan {

PlanKnobs plan_knobs(const TorchTitanConfig& base);

/// See Prepared::candidate_judge. All arguments but the task must outlive it.
std::unique_ptr<CandidateJudge> candidate_judge(const TorchTitanConfig& base, const ParsedKeys& parsed,
                                                const Environment& environment, const Origin& module,
                                                const PlanTask& task);

/// See Prepared::candidate_overrides.
CandidateOverrides candidate_overrides(const TorchTitanConfig& base, const Candidate& candidate, const PlanTask& task,
                                       bool only_changes);

}  // namespace primus_plan::torchtitan
