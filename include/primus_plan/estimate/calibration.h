#pragma once

#include <optional>

#include "primus_plan/estimate/step_time.h"

namespace primus_plan {

/// What one measured run says of a cluster: the two numbers that the models leave free.
struct Calibration {
  double compute_scale = 1;       ///< of all computing rates (StepOptions::compute_scale)
  double memory_extra_bytes = 0;  ///< on top of each rank's device memory; may be negative
  bool operator==(const Calibration&) const = default;
};

/// Bounds of compute_scale: what a measurement asks for beyond them is another run, not another cluster.
inline constexpr double least_compute_scale = 0.25;
inline constexpr double most_compute_scale = 4;

/// The compute_scale with which the estimate gives the measured throughput, to 0.01 %. Nothing when the workload cannot
/// be estimated, the measurement is not positive, or no scale within the bounds explains it: communication and fixed
/// costs do not scale.
std::optional<double> fit_compute_scale(const Workload& workload, const Hardware& hardware,
                                        double tokens_per_second_per_gpu);

/// Measured less estimated memory. Both in bytes, of the same kind.
double fit_memory_extra(double measured_bytes, double estimated_bytes);

}  // namespace primus_plan
