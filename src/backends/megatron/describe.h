#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backends/megatron/groups.h"
#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// The keys that the runtime derives or rewrites, with their final values: every field whose value changed, and the
/// numbers that always come out of the derivation.
std::vector<std::pair<std::string, NodePtr>> effective_values(const MegatronRun& run);

/// The run without Megatron's words.
RunDescription describe(const MegatronRun& run);

/// What the process groups are built from.
GroupSizes group_sizes(const MegatronRun& run);

/// The sizes of a batch ramp, one line each; empty without a ramp.
std::vector<std::string> ramp_lines(const MegatronRun& run);

/// DP as the Primus guide computes it, world / (TP x PP x EP); 0 when that is not whole.
Int guide_data_parallel(const MegatronRun& run);

}  // namespace primus_plan::megatron
