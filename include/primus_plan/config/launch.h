#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "primus_plan/config/environment.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/run/launch.h"

namespace primus_plan {

/// What the command line says about the size of the launch.
struct LaunchOptions {
  std::optional<std::int64_t> world_size;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> gpus_per_node;
};

/// The size of the launch: flags, else environment (NNODES, GPUS_PER_NODE, WORLD_SIZE, SLURM_NNODES …), else the
/// experiment's pragma. Nothing found: world_size 0, and `gpus_per_node` as far as known (8 otherwise); the caller then
/// takes the smallest legal world. Variables or a pragma that contradict themselves (world 12 on 3 nodes of 8) keep
/// the world size and derive the nodes; flags that do are refused. Throws LoadError (CF216) for a size that no launch
/// can have: 0, -1, "abc", millions.
Launch find_launch(const LaunchOptions& options, const Environment& environment, const Pragma& pragma);
/// The same for an experiment: its pragma, and the variables that its platform names (num_nodes_env_key,
/// gpus_per_node_env_key) in place of NNODES and GPUS_PER_NODE. `settings` is what .primus-plan.yaml says of it, which
/// counts after the pragma; null when it says nothing.
Launch find_launch(const LaunchOptions& options, const Environment& environment, const Experiment& experiment,
                   const Pragma* settings = nullptr);

/// The launch for a world size nobody gave: rounded up to whole nodes unless it fits in one. One node where no world is
/// legal (0) or none of a size that is ever launched.
Launch assume_launch(std::int64_t smallest_legal_world, std::int64_t gpus_per_node);

/// The launch of a size that was chosen; its last node need not be full.
Launch sized_launch(std::int64_t world_size, std::int64_t gpus_per_node);

}  // namespace primus_plan
