#pragma once

#include <optional>

#include "primus_plan/estimate/flops.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/estimate/parameters.h"
#include "primus_plan/estimate/step_time.h"
#include "primus_plan/run/hardware.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Achieved floating point operations against the peak of the part's data sheet, by one count.
struct Utilization {
  double flops_per_second_per_gpu = 0;
  double share_of_peak = 0;  ///< MFU; 0 when the peak or the count is not known
};

/// Everything that is estimated of a run.
struct Estimate {
  Parameters parameters;
  Parameters active;
  FlopsEstimate flops;
  MemoryEstimate memory;
  // With hardware only.
  std::optional<Fit> fit;
  StepEstimate step;  ///< zeros without
  Utilization counted;
  Utilization common;
};

/// Estimates a run, on a part when one is given. Facts that the workload lacks count as 0: look at Workload::unknown
/// first. MFU is against the dense peak of the format that GEMM inputs have.
Estimate estimate_run(const Workload& workload, const Hardware* hardware, const StepOptions& options = {});

}  // namespace primus_plan
