#pragma once

#include <span>

#include "primus_plan/layout/topology.h"

namespace primus_plan {

/// Advice (LN9xx, notes) on how a run could be laid out, from the decision guide of Primus's parallelism guide (its
/// sections on batch sizes and on choosing parallelism). A run does not notice any of it.
std::span<const Rule<PlacedRun>> advice_rules();

}  // namespace primus_plan
