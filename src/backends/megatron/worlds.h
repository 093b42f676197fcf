#pragma once

#include "backends/megatron/config.h"

namespace primus_plan::megatron {

/// The smallest world size on which both rank grids exist: PP x lcm(TP x CP, ETP x EP). Every legal world size is a
/// multiple of it. 0 when a degree is not positive or the product leaves 64 bits.
Int smallest_world(const MegatronConfig& config);

}  // namespace primus_plan::megatron
