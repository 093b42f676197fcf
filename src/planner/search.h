#pragma once

#include <cstddef>
#include <vector>

#include "planner/space.h"
#include "primus_plan/planner/plan.h"

namespace primus_plan {

/// What a search found.
struct SearchOutcome {
  std::vector<PlanPoint> points;  ///< legal and not too large, in the space's order
  Rejections rejections;
  PlanPoint least_memory;  ///< of all legal ones, whether or not they fit
  bool has_least_memory = false;
  std::size_t judged = 0;
  bool complete = true;
};

/// How a search may save work.
struct SearchOptions {
  /// false: judges every candidate, those too that are larger than one that does not fit.
  bool prune = true;
  /// Of each group and recompute only the smallest legal micro-batch, whatever does not fit: one of them needs least.
  /// Where gradients are carried from pass to pass, the larger ones too.
  bool smallest_only = false;
};

/// Judges candidates one after the other; for one thread.
class PointJudge {
 public:
  PointJudge(const Prepared& prepared, const PlanRequest& request);

  /// What became of a candidate. `point` is filled when there is no error.
  struct Answer {
    CandidateVerdict verdict;
    PlanPoint point;
  };
  Answer judge(const Candidate& candidate);
  /// Keys that a candidate changes.
  CandidateOverrides changes(const Candidate& candidate) const;
  /// Of the last candidate without an error.
  const Workload& workload() const { return workload_; }
  /// Whether a larger micro-batch, which takes the step in one pass, may need less than the last candidate, which does
  /// not fit, and enough less to fit, or `whatever_it_needs`: XLA carries gradients from pass to pass.
  bool needs_less_in_one_pass(bool whatever_it_needs) const;

 private:
  const Prepared& prepared_;
  const PlanRequest& request_;
  std::unique_ptr<CandidateJudge> judge_;
  Workload workload_;
};

/// Estimates of a workload as a point without a candidate.
PlanPoint point_of(const Workload& workload, const Hardware& hardware);

/// Puts an estimate's times into a point.
void set_times(PlanPoint& point, const StepEstimate& step);

/// Judges all groups on `request.jobs` threads.
SearchOutcome search(const Prepared& prepared, const PlanSubject& subject, const PlanRequest& request,
                     const std::vector<PlanGroup>& groups, const PlanControl& control,
                     const SearchOptions& options = {});

}  // namespace primus_plan
