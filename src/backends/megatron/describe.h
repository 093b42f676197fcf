#pragma once

#include "backends/common/effective.h"
#include "backends/megatron/groups.h"
#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// The keys that the runtime derives or rewrites, with their final values: every field whose value changed, and the
/// numbers that always come out of the derivation.
EffectiveValues effective_values(const MegatronRun& run);

/// The run without Megatron's words.
RunDescription describe(const MegatronRun& run);

/// What the process groups are built from.
GroupSizes group_sizes(const MegatronRun& run);

/// The sizes of a batch ramp, one line each; empty without a ramp.
std::vector<std::string> ramp_lines(const MegatronRun& run);

}  // namespace primus_plan::megatron
