#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "primus_plan/diagnostics/rule.h"
#include "primus_plan/run/candidate.h"

namespace primus_plan {

/// What the rules say of a candidate.
struct CandidateVerdict {
  std::size_t errors = 0;    ///< at least; judging ends with the topic of the first
  std::size_t warnings = 0;  ///< only without errors
  const RuleInfo* first_error = nullptr;
};

/// Judges candidates of one module, one after the other, by the backend's own derivations and rules, without text.
/// Keeps its memory between them: one for each thread. Lives no longer than the Prepared that it came from.
class CandidateJudge {
 public:
  virtual ~CandidateJudge() = default;
  /// Without errors, `workload` becomes what the candidate's run computes, keeps and sends.
  virtual CandidateVerdict judge(const Candidate& candidate, Workload& workload) = 0;
};

/// What a backend lets a planner turn. Values that it cannot express need not be tried; what does not go together is
/// left to its rules.
struct PlanKnobs {
  std::vector<StateSharding> shardings;
  std::vector<ScheduleKind> schedules;  ///< of pipelines
  std::vector<RecomputeLevel> recompute;
  std::vector<StageSplit> splits;
  std::vector<PlanPrecision> precisions;  ///< never tried unless somebody asks for them
  bool chunks = true;                     ///< several model chunks on a rank
  bool context = true;
  bool expert_tensor = false;        ///< experts may be cut by another degree than the rest
  bool replicas = false;             ///< sharded state may be kept in several copies
  bool experts_within_data = false;  ///< expert-parallel ranks are ranks that see different samples
  /// Stages are asked for by their size, in layers and so many units beside them; a number of stages that no size gives
  /// cannot be had. Below 0: stages are asked for by number.
  std::int64_t units_beside_layers = -1;
  std::int64_t layers_outside_pipeline = 0;  ///< the first ones, which every stage has
  bool always_recomputes = false;            ///< the least of `recompute` makes some activations again
  bool weights_stay_whole = false;           ///< sharded weights go with neither pipeline nor expert parallel
};

}  // namespace primus_plan
