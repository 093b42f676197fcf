#pragma once

#include <array>
#include <vector>

#include "estimate/activations.h"
#include "estimate/layers.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Everything about layers that does not depend on the stage, made once.
struct LayerTable {
  std::array<LayerActivations, layer_sorts> activations;
};
LayerTable layer_table(const Workload& workload, const ActivationContext& c);

/// Bytes that a chunk keeps for each token of one micro-batch, what its largest unit of recompute makes again, and what
/// the layer that keeps most keeps.
struct ChunkActivations {
  double kept = 0;
  double made_again = 0;
  double largest = 0;
};
ChunkActivations chunk_activations(const Workload& workload, const ActivationContext& c, const StageChunk& chunk,
                                   const LayerTable& table);

}  // namespace primus_plan
