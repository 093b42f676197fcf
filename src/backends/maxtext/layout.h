#pragma once

#include "backends/maxtext/run.h"
#include "primus_plan/layout/rank_layout.h"

namespace primus_plan::maxtext {

/// Where each device sits in the mesh, and the groups along its axes. The mesh is row-major over mesh_axes inside a
/// slice; the slices are laid out by the dcn degrees in the same order, as the slow part of each axis. Groups: tp, cp,
/// dp, fsdp, dp_replicate, pp, ep, and one for each axis of the mesh above 1 ("axis_<name>"). Source: jax
/// mesh_utils.create_hybrid_device_mesh, maxtext_utils.py:create_device_mesh.
RankLayout rank_layout(const MaxTextRun& run);

}  // namespace primus_plan::maxtext
