#pragma once

#include "backends/torchtitan/run.h"
#include "primus_plan/run/workload.h"

namespace primus_plan::torchtitan {

/// What one step of this run computes, keeps and sends. Facts that the config does not state are in Workload::unknown.
Workload workload(const TorchTitanRun& run);

}  // namespace primus_plan::torchtitan
