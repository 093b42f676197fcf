#pragma once

#include <vector>

#include "planner/search.h"
#include "primus_plan/planner/plan.h"

namespace primus_plan {

/// Whether the closed form says little of a candidate's step: V-half and V-min.
bool needs_playing(const Candidate& candidate);

/// Of V-half and V-min the closed form gives the published bubbles, which unequal passes exceed: those among the best
/// `request.top` layouts and on the Pareto front are played, and the points are ranked again, until none that would be
/// proposed is left unplayed. `points` are ranked, and stay so.
void play_leaders(std::vector<PlanPoint>& points, PointJudge& judge, const PlanRequest& request);

}  // namespace primus_plan
