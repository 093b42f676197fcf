#pragma once

#include <string>

#include "primus_plan/planner/sweep.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One module's sweep and the run it started from.
struct SweepReport {
  const Analysis& base;
  const Sweep& sweep;
  std::string hardware_source;  ///< why this part: "--hardware", "taken from its path"
};

/// A table of the points, the legend of illegal ones, and with one axis a bar for each point.
std::string sweep_to_text(const SweepReport& report, const TextStyle& style);
/// RFC 4180 with a header line: the axes, then world_size, dp, accumulation_steps, tokens_per_step, memory_gib_low,
/// memory_gib, memory_gib_high, fit, tokens_per_second_per_gpu, step_seconds, bubble_share, legal, rules.
std::string sweep_to_csv(const SweepReport& report);
/// {"path", "module", "framework", "hardware", "axes", "points": [...], "legend": [...]}
std::string sweep_to_json(const SweepReport& report);

}  // namespace primus_plan
