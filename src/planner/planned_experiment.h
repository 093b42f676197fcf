#pragma once

#include "planner/experiment_attempt.h"

namespace primus_plan {

/// Searches all layouts of a task as `plan` does and tries the best ones as experiments. Where none fits, says what the
/// smallest needs; where none is legal, the rule that refuses most.
void try_plans(const Making& making, Tried& out);

}  // namespace primus_plan
