#pragma once

#include <initializer_list>

#include "backends/megatron/run.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan::megatron {

/// Phrases that several rules share. All of them are made only when somebody reads the text.

/// The field to point at when several multiply up: the largest one that a file sets, else the first.
const Count& largest_of(std::initializer_list<const Count*> fields);

/// "nearest legal world sizes: 16, 32": multiples of the smallest world around the asked one.
void help_with_worlds(Message& message, const MegatronRun& run);

/// How DP came about: "DP 16 = world 64 / (TP 4 x PP 1 x CP 1)".
void because_of_dp(Message& message, const MegatronRun& run);

/// "expert DP 2 = world 64 / (ETP 1 x EP 8 x PP 4)".
void because_of_expert_dp(Message& message, const MegatronRun& run);

/// "96, 128": the multiples of `step` around `value` that are at least `step`.
std::string nearest_text(Int value, Int step);

}  // namespace primus_plan::megatron
