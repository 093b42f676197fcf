#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "primus_plan/planner/plan.h"

namespace primus_plan {

/// Speed that a run with little memory to spare must have over one with plenty to come before it: 1 for the latter.
double price_of(Fit fit);

/// Best first: plans that change fewer keys, where that is counted; plans with fewer warnings before those that would
/// not run as they are meant, then by objective; equal ones by memory and order. A tight plan must be 5 % faster than
/// one with memory to spare to come before it.
bool is_better(const PlanPoint& a, const PlanPoint& b, PlanObjective objective);
void rank(std::vector<PlanPoint>& points, PlanObjective objective);

/// Indices of `points`, best first. Points are large and many: what ranks more than once sorts these.
std::vector<std::uint32_t> ranking(const std::vector<PlanPoint>& points, PlanObjective objective);
/// Puts the points into the order of a ranking.
void arrange(std::vector<PlanPoint>& points, const std::vector<std::uint32_t>& ranking);

/// Indices of the best point of each layout (world, degrees, sharding), in the ranking's order. Plans that differ in
/// micro-batch, recompute, chunks or schedule only are settings of one layout.
std::vector<std::size_t> best_of_layouts(const std::vector<PlanPoint>& ranked);
bool same_layout(const Candidate& a, const Candidate& b);

/// Points that no other beats in both memory and throughput, least memory first; of those with the fewest warnings.
/// Equal points: the first in order. They live in `points`, which may have any order.
std::vector<const PlanPoint*> pareto_front(const std::vector<PlanPoint>& points);

}  // namespace primus_plan
