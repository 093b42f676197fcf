#pragma once

#include "estimate/time_constants.h"
#include "primus_plan/estimate/step_time.h"

namespace primus_plan {

/// estimate_step with other constants: for fitting and tests.
StepEstimate estimate_step(const Workload& workload, const Hardware& hardware, const TimeConstants& constants,
                           const StepOptions& options);

/// Fills what follows from the parts: tokens per second, interval, bottleneck.
void finish(StepEstimate& out, const Workload& w, const Hardware& hardware);

}  // namespace primus_plan
