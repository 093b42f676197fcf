#pragma once

#include <cstdint>
#include <string>

namespace primus_plan {

/// The largest number of ranks, nodes or GPUs of a node that is taken for a real one.
inline constexpr std::int64_t largest_launch = 1 << 20;

/// How many processes run and on how many nodes.
struct Launch {
  std::int64_t world_size = 0;
  std::int64_t nodes = 0;
  std::int64_t gpus_per_node = 8;
  std::string source;  ///< how it was found: "--world-size", "NNODES, GPUS_PER_NODE", "pragma in exp.yaml:1", "smallest
                       ///< legal world"
  bool assumed = false;  ///< nobody gave a size: the smallest legal one was taken
};

}  // namespace primus_plan
