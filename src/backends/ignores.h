#pragma once

#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {

/// Takes out the findings that comments `# primus-plan: ignore[RULE] reason` silence, in whichever file a finding
/// points to, and reports comments of the experiment itself that name no rule, give no reason or silence nothing.
/// `analyses` are those of all its modules, with text.
void apply_ignores(const Experiment& experiment, std::vector<Analysis>& analyses);

}  // namespace primus_plan
