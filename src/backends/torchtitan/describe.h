#pragma once

#include "backends/common/effective.h"
#include "backends/torchtitan/run.h"

namespace primus_plan::torchtitan {

/// The numbers that always come out of the derivation, and every key whose value the runtime changed.
EffectiveValues effective_values(const TorchTitanRun& run);

/// The run without TorchTitan's words.
RunDescription describe(const TorchTitanRun& run);

}  // namespace primus_plan::torchtitan
