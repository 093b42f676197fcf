#pragma once

#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// A finding's mark is the line to edit. One that stands on a preset's value or a default changes places with the first
/// of its other places that the user wrote: a file, a variable or the command line.
void point_at_edits(std::vector<Finding>& findings);

}  // namespace primus_plan
