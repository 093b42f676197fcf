#pragma once

#include <optional>

#include "primus_plan/estimate/estimate.h"
#include "primus_plan/estimate/step_time.h"
#include "primus_plan/run/calibration.h"

namespace primus_plan {

/// The compute_scale with which the estimate gives the measured throughput, to 0.01 %, whatever calibration the part
/// has now. Nothing when the workload cannot be estimated, the measurement is not positive, or no scale within the
/// bounds explains it: communication and fixed costs do not scale.
std::optional<double> fit_compute_scale(const Workload& workload, const Hardware& hardware,
                                        double tokens_per_second_per_gpu);

/// Measured less estimated memory. Both in bytes, of the same kind.
double fit_memory_extra(double measured_bytes, double estimated_bytes);

/// Moves memory of every stage by so many bytes: more is put beside the allocator's, less is taken from what is least
/// certain (runtime, then reserve, and on towards the weights). Nothing becomes negative.
void add_memory(MemoryEstimate& memory, double extra_bytes);

/// The part without what was measured on it: what a new measurement is compared with.
Hardware uncalibrated(Hardware hardware);

}  // namespace primus_plan
