#pragma once

#include <vector>

#include "planner/search.h"
#include "primus_plan/planner/plan.h"

namespace primus_plan {

/// Whether the closed form of a candidate's step differs from its schedule played pass by pass.
bool needs_playing(const Candidate& candidate);

/// The closed form is off by some per cent for uneven stages, and V-half and V-min have published bubbles there, which
/// unequal passes exceed: pipelines among the best `request.top` layouts and on the Pareto front are played, and the
/// points are ranked again, until none that would be proposed is left unplayed. Leaves `points` ranked.
void rank_played(std::vector<PlanPoint>& points, PointJudge& judge, const PlanRequest& request);

}  // namespace primus_plan
