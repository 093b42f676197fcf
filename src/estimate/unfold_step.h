#pragma once

#include <optional>
#include <string>

#include "primus_plan/estimate/unfold.h"

namespace primus_plan {

/// "step", or the part of the step of that name with _ between its words.
std::optional<UnfoldedNumber> unfold_step(const Workload& workload, const StepEstimate& step, const Hardware& hardware,
                                          const std::string& part);

}  // namespace primus_plan
