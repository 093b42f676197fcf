#pragma once

#include "backends/torchtitan/config.h"

namespace primus_plan::torchtitan {

/// The smallest world size at which the meshes exist. With data_parallel_shard_degree: -1 every legal world size is a
/// multiple of it; with a number the product of the degrees is the only one. 0 when no world is legal: a degree below
/// 1, or a product that leaves 64 bits.
Int smallest_world(const TorchTitanConfig& config);

}  // namespace primus_plan::torchtitan
