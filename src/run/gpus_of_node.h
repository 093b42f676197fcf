#pragma once

#include <algorithm>
#include <cstdint>

#include "primus_plan/run/launch.h"

namespace primus_plan {

/// GPUs of each node of a launch, which has as many on all: 12 on nodes of 8 are 6 and 6. Whole nodes where the launch
/// has no size.
inline std::int64_t gpus_of_node(const Launch& launch) {
  const bool is_sized = launch.world_size > 0 && launch.nodes > 0;
  return std::max<std::int64_t>(is_sized ? launch.world_size / launch.nodes : launch.gpus_per_node, 1);
}

}  // namespace primus_plan
