#include "primus_plan/estimate/calibration.h"

#include <cmath>

namespace primus_plan {

std::optional<double> fit_compute_scale(const Workload& workload, const Hardware& hardware,
                                        double tokens_per_second_per_gpu) {
  if (!std::isfinite(tokens_per_second_per_gpu) || tokens_per_second_per_gpu <= 0) return std::nullopt;
  const auto throughput = [&](double scale) {
    return estimate_step(workload, hardware, {.compute_scale = scale}).tokens_per_second_per_gpu;
  };
  double low = least_compute_scale;
  double high = most_compute_scale;
  if (throughput(low) <= 0) return std::nullopt;
  if (throughput(low) > tokens_per_second_per_gpu || throughput(high) < tokens_per_second_per_gpu) return std::nullopt;
  // More computing rate never makes a step slower, so halving the interval finds the scale.
  while (high / low > 1.0001) {
    const double middle = std::sqrt(low * high);
    (throughput(middle) < tokens_per_second_per_gpu ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

double fit_memory_extra(double measured_bytes, double estimated_bytes) { return measured_bytes - estimated_bytes; }

}  // namespace primus_plan
