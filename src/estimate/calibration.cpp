#include "primus_plan/estimate/calibration.h"

#include <algorithm>
#include <cmath>

namespace primus_plan {

std::optional<double> fit_compute_scale(const Workload& workload, const Hardware& hardware,
                                        double tokens_per_second_per_gpu) {
  if (!std::isfinite(tokens_per_second_per_gpu) || tokens_per_second_per_gpu <= 0) return std::nullopt;
  const Hardware plain = uncalibrated(hardware);
  const auto throughput = [&](double scale) {
    return estimate_step(workload, plain, {.simulate = true, .compute_scale = scale}).tokens_per_second_per_gpu;
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

namespace {

void move_stage(StageMemory& stage, double extra) {
  if (extra >= 0) {
    stage[MemoryPart::runtime] += extra;
    return;
  }
  double missing = -extra;
  for (auto part = stage.parts.rbegin(); part != stage.parts.rend(); ++part) {
    const double taken = std::min(*part, missing);
    *part -= taken;
    missing -= taken;
  }
}

void move_range(MemoryRange& range, double expected) {
  const double by = expected - range.expected;
  range.low = std::max(0.0, range.low + by);
  range.high = std::max(0.0, range.high + by);
  range.expected = expected;
}

}  // namespace

void add_memory(MemoryEstimate& memory, double extra_bytes) {
  if (memory.stages.empty() || !std::isfinite(extra_bytes)) return;
  for (StageMemory& stage : memory.stages) move_stage(stage, extra_bytes);
  const StageMemory& fullest = memory.stages[memory.fullest];
  move_range(memory.allocated, fullest.allocated());
  move_range(memory.reserved, fullest.reserved());
  move_range(memory.device, fullest.device());
}

Hardware uncalibrated(Hardware hardware) {
  hardware.calibration = {};
  return hardware;
}

}  // namespace primus_plan
