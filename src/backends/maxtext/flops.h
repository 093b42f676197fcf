#pragma once

#include "backends/maxtext/run.h"

namespace primus_plan::maxtext {

/// Floating point operations of one token, forward and backward, as MaxText's own function counts them: matrix products
/// of every layer with the router, causal attention counted half, windows and chunks exactly, prediction layers without
/// their output layer. A reference model (use_dpo) adds one forward pass. 0 for a model that it refuses to count.
/// Source: src/maxtext/utils/maxtext_utils.py:calculate_tflops_training_per_device.
double counted_flops_per_token(const MaxTextRun& run);

}  // namespace primus_plan::maxtext
