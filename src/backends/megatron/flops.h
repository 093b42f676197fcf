#pragma once

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// Floating point operations of one token, forward and backward, as Megatron's own function counts them: causal
/// attention counted half in every layer, windows or not; no router; the padded vocabulary, once more for each
/// prediction layer. 0 where it stops (an attention variant it does not know) or the dimensions are not known.
/// Source: megatron/training/training.py:num_floating_point_operations (d3528a21).
double counted_flops_per_token(const MegatronRun& run, Int padded_vocabulary);

}  // namespace primus_plan::megatron
