#include "backends/maxtext/rules/say.h"

#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {

std::string degrees_text(const MaxTextRun& run, Count MaxTextConfig::*AxisInfo::*keys) {
  std::string out;
  for (const MeshAxis axis : run.mesh.order.list()) {
    const auto key = info(axis).*keys;
    if (key == nullptr || *(run.config.*key) == 1) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : " x ", (run.config.*key).key, *(run.config.*key));
  }
  return out.empty() ? "1 (no axis has another degree)" : out;
}

std::string axes_text(const MaxTextRun& run, AxisSet set) {
  std::string out;
  for (const MeshAxis axis : run.mesh.order.list()) {
    if (!contains(set, axis) || run.mesh.size_of(axis) == 1) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : " x ", info(axis).name, run.mesh.size_of(axis));
  }
  return out.empty() ? "1" : out;
}

const Count& largest_degree(const MaxTextRun& run, Count MaxTextConfig::*AxisInfo::*keys) {
  const Count* best = nullptr;
  for (const MeshAxis axis : run.mesh.order.list()) {
    const auto key = info(axis).*keys;
    if (key == nullptr) continue;
    const Count& degree = run.config.*key;
    if (best == nullptr) {
      best = &degree;
      continue;
    }
    best = &largest_of({best, &degree});
  }
  return best != nullptr ? *best : run.config.ici_fsdp_parallelism;
}

void because_of_slices(Message& message, const MaxTextRun& run) {
  message.because("{} devices per slice = {} devices / {}; on GPUs a node is a slice", run.mesh.devices_per_slice,
                  run.devices(), counted(run.mesh.slices, "slice"));
}

std::string fraction_text(Int part, Int whole) {
  const Int common = std::max<Int>(1, greatest_common_divisor(part, whole));
  return whole == common ? fmt::format("{}", part / common) : fmt::format("{}/{}", part / common, whole / common);
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace primus_plan::maxtext
