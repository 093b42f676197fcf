#pragma once

#include <optional>

#include "primus_plan/estimate/flops.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/estimate/parameters.h"
#include "primus_plan/estimate/step_time.h"
#include "primus_plan/run/hardware.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Everything that is estimated of a run.
struct Estimate {
  Parameters parameters;
  Parameters active;
  FlopsEstimate flops;
  MemoryEstimate memory;
  // With hardware only.
  std::optional<Fit> fit;  ///< nothing where something is not known and what is counted would fit
  StepEstimate step;       ///< zeros without
  double peak_flops = 0;   ///< dense, of the format that GEMM inputs have: what MFU is measured against
  double counted_mfu() const { return peak_flops > 0 ? step.counted_flops_per_second_per_gpu / peak_flops : 0; }
};

/// What memory estimates ask of a part, its calibration included: AMD's are the ones that are wired as a mesh. Null:
/// AMD's.
MemoryDevice memory_device(const Hardware* hardware);

/// Estimates a run, on a part when one is given, its pipeline played pass by pass. Facts that the workload lacks count
/// as 0: look at Workload::unknown first.
Estimate estimate_run(const Workload& workload, const Hardware* hardware);

}  // namespace primus_plan
