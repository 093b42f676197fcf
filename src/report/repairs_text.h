#pragma once

#include <string>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// A line for each repair: "help: legal with one change: global_batch_size 96 (393,216 tokens a step, -4.0 %)".
std::string repairs_to_text(const Analysis& analysis, const TextStyle& style);

}  // namespace primus_plan
