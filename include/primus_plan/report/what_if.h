#pragma once

#include <string>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One module before and after a change.
struct Change {
  const Analysis& before;
  const Analysis& after;
};

/// The numbers that move (and the few that everybody asks for), then the findings that come and go.
std::string change_to_text(const Change& change, const TextStyle& style);

/// {"before": module, "after": module, "changes": [{"name", "before", "after"}], "new": [finding], "gone": [finding]};
/// modules and findings as in the check contract.
std::string change_to_json(const Change& change);

}  // namespace primus_plan
