#pragma once

#include "backends/torchtitan/run.h"
#include "primus_plan/layout/rank_layout.h"

namespace primus_plan::torchtitan {

/// The device meshes as groups of ranks. Two grids over the same ranks, slowest first: pp, dp_replicate, dp_shard, cp,
/// tp for dense layers, pp, dp_replicate, efsdp, ep, etp for experts. Only for meshes that exist. Source:
/// torchtitan/distributed/parallel_dims.py:build_mesh.
RankLayout rank_layout(const TorchTitanRun& run);

}  // namespace primus_plan::torchtitan
