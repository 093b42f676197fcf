#include "primus_plan/run/hardware.h"

#include <algorithm>

namespace primus_plan {

double Hardware::peak_flops(NumberFormat format) const {
  if (format == NumberFormat::fp4 && peak_fp4_flops > 0) return peak_fp4_flops;
  if ((format == NumberFormat::fp8 || format == NumberFormat::fp4) && peak_fp8_flops > 0) return peak_fp8_flops;
  return peak_bf16_flops;
}

double Hardware::gemm_flops(NumberFormat format) const {
  if (format == NumberFormat::fp4 && gemm_fp4_flops > 0) return gemm_fp4_flops;
  if ((format == NumberFormat::fp8 || format == NumberFormat::fp4) && gemm_fp8_flops > 0) return gemm_fp8_flops;
  return gemm_bf16_flops;
}

}  // namespace primus_plan
