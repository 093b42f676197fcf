#pragma once

#include "primus_plan/backends/analysis.h"

namespace primus_plan {

/// What the counts of an analysis come to.
Verdict verdict_of(const Analysis& analysis);

}  // namespace primus_plan
