#pragma once

#include "backends/maxtext/run.h"

namespace primus_plan::maxtext {

/// What MaxText counts for the vision encoder of one sample, forward and backward; 0 for the models that it does not
/// count. Source: src/maxtext/utils/maxtext_utils.py:calculate_gemma3_vision_layers_tflops_per_device,
/// calculate_llama4_vision_layers_tflops_per_device.
double vision_flops_per_sample(const MaxTextRun& run);

}  // namespace primus_plan::maxtext
