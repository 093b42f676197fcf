#pragma once

#include "primus_plan/backends/analysis.h"

namespace primus_plan {

/// Puts the guide's DP, world / (TP x PP x EP), in place of what runs, with the accumulation steps that would follow
/// from it in Megatron, and a note that says what runs. The DP is 0 where it is not whole; so are the steps where the
/// batch is illegal or not a multiple of it. For showing only, after everything is decided: rules, repairs and
/// estimates are of what runs.
void show_guide_formula(Analysis& analysis);

}  // namespace primus_plan
