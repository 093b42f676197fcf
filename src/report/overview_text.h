#pragma once

#include <string>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// The numbers of a run, a few indented lines: sizes and degrees, batch, how the world size was found, notes, rewrites.
/// What could not be derived is left out or shown as "?".
std::string overview_to_text(const Analysis& analysis, const TextStyle& style);

/// For verbose reports: the layers of each pipeline stage (neighbours that are alike in one line) and every value that
/// the runtime derives.
std::string details_to_text(const Analysis& analysis, const TextStyle& style);

}  // namespace primus_plan
