#pragma once

namespace primus_plan {

/// What one measured run says of a cluster: the two numbers that the models leave free.
struct Calibration {
  double compute_scale = 1;       ///< of all computing rates (estimate/step_time.h)
  double memory_extra_bytes = 0;  ///< on top of each rank's device memory; may be negative
  bool operator==(const Calibration&) const = default;
};

/// Bounds of compute_scale: what a measurement asks for beyond them is another run, not another cluster.
inline constexpr double least_compute_scale = 0.25;
inline constexpr double most_compute_scale = 4;

}  // namespace primus_plan
