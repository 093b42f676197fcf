#pragma once

#include <vector>

#include "planner/search.h"

namespace primus_plan {

/// One step down and up on each axis from a candidate, the rest as it is; values next to it that the space has and
/// that change a key.
std::vector<Neighbour> neighbours(const Candidate& winner, PointJudge& judge, const PlanSubject& subject,
                                  const PlanRequest& request);

}  // namespace primus_plan
