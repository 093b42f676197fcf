#pragma once

#include "backends/common/dimensions.h"
#include "primus_plan/config/environment.h"
#include "primus_plan/config/node.h"

namespace primus_plan::maxtext {

/// The dimensions of the model that MaxText builds from these parameters and its own model file.
Dimensions dimensions(const Node& params, const Environment& environment);

}  // namespace primus_plan::maxtext
