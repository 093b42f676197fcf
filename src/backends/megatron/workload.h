#pragma once

#include "backends/megatron/run.h"
#include "primus_plan/run/workload.h"

namespace primus_plan::megatron {

/// What one training step computes, keeps and sends. `unknown` names what the config does not say and no table knows.
/// `shape`: what model_shape gives for a run whose model is the same, with nothing unknown; null: not known yet.
Workload workload(const MegatronRun& run, const ModelShape* shape = nullptr);

/// Dimensions of the model and the kinds of its layers; adds to `unknown` what is missing.
ModelShape model_shape(const MegatronRun& run, std::vector<std::string_view>& unknown);

}  // namespace primus_plan::megatron
