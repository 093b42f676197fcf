#pragma once

#include "estimate/time_constants.h"
#include "primus_plan/estimate/step_time.h"

namespace primus_plan {

/// Micro-batches that one rank takes in a step, and between two drains of the pipeline.
struct MicroBatches {
  double all = 1;
  std::int64_t between_flushes = 1;
};
MicroBatches micro_batches(const Workload& w);

/// estimate_step with other constants: for fitting and tests.
StepEstimate estimate_step(const Workload& workload, const Hardware& hardware, const TimeConstants& constants,
                           const StepOptions& options);

/// Fills what follows from the parts: tokens per second, interval, bottleneck.
void finish(StepEstimate& out, const Workload& w, const Hardware& hardware);

}  // namespace primus_plan
