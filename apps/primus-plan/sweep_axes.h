#pragma once

#include <string>
#include <vector>

#include "primus_plan/planner/sweep.h"

namespace primus_plan::app {

/// Reads the values of --over. Throws SweepError, and Trouble for a name that is neither a key nor a short name.
std::vector<SweepAxis> read_axes(const std::vector<std::string>& texts);

}  // namespace primus_plan::app
