#pragma once

#include <string>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One module with what is estimated of it. `analysis.workload` is set.
struct EstimateReport {
  const Analysis& analysis;
  Estimate estimate;
  const Hardware* hardware = nullptr;  ///< null: no comparison and no step time
  std::string hardware_source;         ///< why this part: "--hardware", "the folder MI300X"
  std::string calibration;             ///< by which run the constants were fitted, and where that stands; or nothing
};

/// Model, FLOPs by both counts, memory of the fullest stage and shares of the step as bars; each stage and the
/// assumptions when verbose. Facts that are missing are named first.
std::string estimate_to_text(const EstimateReport& report, const TextStyle& style);

/// {"path", "module", "backend", "unknown": [...], "parameters": {...}, "flops": {...}, "memory": {...}, "step": {...}
/// or null, "hardware": {...} or null}. Units are in the names: _bytes, _seconds, _flops.
std::string estimate_to_json(const EstimateReport& report);

}  // namespace primus_plan
