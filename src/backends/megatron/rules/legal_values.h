#pragma once

#include <variant>
#include <vector>

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// Values that a message may offer, tried before they are named: the rules judge the run with the value in place of its
/// own. A try costs a derivation and every rule, so only the describing functions of findings ask. A value counts as
/// legal when it leaves fewer errors than the run has.

/// A key that holds a whole number.
using NumberKey = std::variant<Count MegatronConfig::*, MaybeCount MegatronConfig::*>;

/// The legal ones of `values`, in their order. Where other faults stand in the way of all, those with the fewest; all
/// of them for a run that is too large to try.
std::vector<Int> legal_among(const MegatronRun& run, NumberKey key, std::vector<Int> values);

/// The legal values of a key next to `value`, ascending, one on each side where there is one, among those that give a
/// positive multiple of `step` once `added` is added to them. The next ones of these on each side, untried, where none
/// within reach is legal.
std::vector<Int> nearest_legal(const MegatronRun& run, NumberKey key, Int value, Int step, Int added = 0);

/// The legal multiples of `smallest` next to the run's world size, ascending; empty where none within reach is legal.
std::vector<Int> nearest_legal_worlds(const MegatronRun& run, Int smallest);

}  // namespace primus_plan::megatron
