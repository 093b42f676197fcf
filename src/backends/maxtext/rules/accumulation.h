#pragma once

#include <string_view>

namespace primus_plan::maxtext {

/// Quantizations that keep a history of scales and do not go with gradient accumulation.
/// Source: src/maxtext/configs/types.py:set_derived_and_validate_values.
constexpr bool refuses_accumulation(std::string_view quantization) {
  return quantization == "fp8" || quantization == "nanoo_fp8" || quantization == "fp8_gpu" ||
         quantization == "te_fp8_delayedscaling";
}

}  // namespace primus_plan::maxtext
