#pragma once

#include "backends/maxtext/run.h"
#include "primus_plan/run/workload.h"

namespace primus_plan::maxtext {

/// What one step of this run computes, keeps and sends. Facts that the config does not state are in Workload::unknown.
Workload workload(const MaxTextRun& run);

}  // namespace primus_plan::maxtext
