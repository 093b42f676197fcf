#pragma once

#include <cstddef>
#include <vector>

#include "primus_plan/backends/candidates.h"
#include "primus_plan/planner/plan.h"

namespace primus_plan {

/// Candidates that differ in micro-batch and recompute only: they hold the same weights, gradients and optimizer
/// states, and a larger micro-batch never needs less memory.
struct PlanGroup {
  Candidate base;
  std::size_t first = 0;  ///< number of its first candidate in the space
};

/// Recompute of one candidate.
struct RecomputeChoice {
  RecomputeLevel level = RecomputeLevel::none;
  std::int64_t layers = 0;
};

/// What is known of a model before anything is turned.
struct PlanSubject {
  ModelShape model;
  PlanKnobs knobs;
};

/// Layers that a pipeline's stages share.
std::int64_t pipelined_layers(const PlanSubject& subject);

/// Whether a backend has an axis that a plan can turn.
bool can_turn(const PlanKnobs& knobs, PlanAxis axis);

/// Whether a backend can give each pipeline rank so many chunks.
bool takes_chunks(const PlanSubject& subject, std::int64_t pipeline, std::int64_t chunks);

/// All groups in a fixed order: smaller worlds and degrees first.
std::vector<PlanGroup> plan_groups(const PlanSubject& subject, const PlanRequest& request);

/// The micro-batches to try for a group, ascending; at least one value, which the rules may refuse.
std::vector<std::int64_t> micro_batches(const PlanGroup& group, const PlanRequest& request);
/// The recomputes to try for a group, the one with most memory first.
std::vector<RecomputeChoice> recompute_choices(const PlanGroup& group, const PlanSubject& subject,
                                               const PlanRequest& request);

}  // namespace primus_plan
