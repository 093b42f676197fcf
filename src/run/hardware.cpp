#include "primus_plan/run/hardware.h"

namespace primus_plan {

namespace {

/// What fp32 reaches of a rate in 16 bits.
double share_of_fp32(const Hardware& part) {
  return part.peak_bf16_flops > 0 ? part.peak_fp32_flops / part.peak_bf16_flops : 0;
}

}  // namespace

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
      return gemm_bf16_flops * share_of_fp32(*this);
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
  return format == NumberFormat::fp32 ? attention_flops * share_of_fp32(*this) : attention_flops;
}

bool Hardware::computes(const Precision& precision) const {
  if (precision.recipe == ScalingRecipe::microscaling && !has_microscaling()) return false;
  return gemm_flops(precision.compute) > 0;
}

}  // namespace primus_plan
