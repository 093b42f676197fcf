#pragma once

#include "backends/maxtext/run.h"
#include "primus_plan/run/workload.h"

namespace primus_plan::maxtext {

/// What remat_policy keeps for the backward pass. A policy is a list of named tensors; their share of all that a layer
/// makes is worked out from the model's dimensions. XLA is free to keep less or more: estimates allow for that.
/// Source: src/maxtext/layers/nnx_decoders.py:get_remat_policy.
Recompute recompute_of(const MaxTextRun& run, const ModelShape& model);

}  // namespace primus_plan::maxtext
