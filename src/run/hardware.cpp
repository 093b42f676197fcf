#include "primus_plan/run/hardware.h"

namespace primus_plan {

double Hardware::peak_flops(NumberFormat format) const {
  switch (format) {
    case NumberFormat::fp32:
      return peak_fp32_flops;
    case NumberFormat::bf16:
    case NumberFormat::fp16:
      return peak_bf16_flops;
    case NumberFormat::fp8:
      return peak_fp8_flops;
    case NumberFormat::fp4:
      return peak_fp4_flops;
  }
  return 0;
}

double Hardware::gemm_flops(NumberFormat format) const {
  switch (format) {
    case NumberFormat::fp32:
      return peak_bf16_flops > 0 ? gemm_bf16_flops * peak_fp32_flops / peak_bf16_flops : 0;
    case NumberFormat::bf16:
    case NumberFormat::fp16:
      return gemm_bf16_flops;
    case NumberFormat::fp8:
      return gemm_fp8_flops;
    case NumberFormat::fp4:
      return gemm_fp4_flops;
  }
  return 0;
}

double Hardware::attention_flops_of(NumberFormat format) const {
  if (format != NumberFormat::fp32) return attention_flops;
  return peak_bf16_flops > 0 ? attention_flops * peak_fp32_flops / peak_bf16_flops : 0;
}

bool Hardware::computes(const Precision& precision) const {
  if (precision.recipe == ScalingRecipe::microscaling && !has_microscaling()) return false;
  return gemm_flops(precision.compute) > 0;
}

}  // namespace primus_plan
