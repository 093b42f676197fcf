#pragma once

#include "estimate/layer_time.h"

namespace primus_plan {

/// Seconds a step that a rank spends on gradients and sharded weights without anything to hide them, for a rank whose
/// share of a micro-batch is `rank` and that runs `micro_batches` of them.
double exposed_data_exchange(const TimeModel& model, const LayerSeconds& rank, double micro_batches);

/// Seconds of the optimizer step on a rank that holds these weights.
double optimizer_seconds(const TimeModel& model, const LayerSeconds& rank);

}  // namespace primus_plan
