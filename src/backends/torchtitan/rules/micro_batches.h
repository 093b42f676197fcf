#pragma once

#include "backends/torchtitan/run.h"

namespace primus_plan::torchtitan {

/// Whether the pipeline, where there is one, can cut this local batch (in samples, 1 or more) into micro-batches of the
/// present size and as many as its schedule takes.
/// Source: torchtitan/distributed/pipeline_parallel.py:build_pipeline_schedule and the constructors in
/// torch/distributed/pipelining/schedules.py.
bool pipeline_takes(const TorchTitanRun& run, Int local);

}  // namespace primus_plan::torchtitan
