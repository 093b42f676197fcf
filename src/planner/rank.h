#pragma once

#include <cstddef>
#include <vector>

#include "primus_plan/planner/plan.h"

namespace primus_plan {

/// Best first: plans with fewer warnings before those that would not run as they are meant, then by objective; equal
/// ones by memory and order. A tight plan must be 5 % faster than one with memory to spare to come before it.
bool is_better(const PlanPoint& a, const PlanPoint& b, PlanObjective objective);
void rank(std::vector<PlanPoint>& points, PlanObjective objective);

/// Indices of the best point of each layout (world, degrees, sharding), in the ranking's order. Plans that differ in
/// micro-batch, recompute, chunks or schedule only are settings of one layout.
std::vector<std::size_t> best_of_layouts(const std::vector<PlanPoint>& ranked);
bool same_layout(const Candidate& a, const Candidate& b);

/// Points that no other beats in both memory and throughput, least memory first; of those with the fewest warnings.
/// Equal points: the first in order.
std::vector<PlanPoint> pareto_front(const std::vector<PlanPoint>& points);

}  // namespace primus_plan
