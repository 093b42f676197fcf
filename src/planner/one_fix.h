#pragma once

#include <functional>
#include <string>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {

/// The dotted path of the value below `params` that stands at `place`; empty when none does.
std::string path_at(const Node& params, const Origin& place);

/// Whether one of the errors' own fixes makes a module legal by itself: then no larger change needs to be looked for.
/// `judge` finds them, with text; `is_repaired` judges the module with the fix made. Fixes that edit something else
/// than values of the module are left out. Pure but for what the two do.
bool one_fix_is_enough(const Module& module, const std::function<Analysis(const Module& module)>& judge,
                       const std::function<bool(const Module& changed)>& is_repaired);

}  // namespace primus_plan
