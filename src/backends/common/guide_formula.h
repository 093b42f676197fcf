#pragma once

#include "primus_plan/run/run.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

/// DP as the Primus guide computes it, world / (TP x PP x EP); 0 when that is not whole. No framework uses it for
/// batches.
inline std::int64_t guide_data_parallel(std::int64_t world, const Degrees& degrees) {
  const std::int64_t divisor =
      saturating_multiply(saturating_multiply(degrees.tensor, degrees.pipeline), degrees.expert);
  return divisor > 0 && world % divisor == 0 ? world / divisor : 0;
}

}  // namespace primus_plan
