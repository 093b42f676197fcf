#pragma once

#include "primus_plan/estimate/step_time.h"

namespace primus_plan {

/// Micro-batches that one rank takes in a step, and between two drains of the pipeline.
struct MicroBatches {
  double all = 1;
  std::int64_t between_flushes = 1;
};
MicroBatches micro_batches(const Workload& w);

/// Whether the batch of a step is known, and whether the model is.
bool has_batch(const Workload& w);
bool has_layers(const Workload& w);

/// Fills what follows from the parts: tokens per second, interval, bottleneck.
void finish(StepEstimate& out, const Workload& w, const Hardware& hardware);

}  // namespace primus_plan
