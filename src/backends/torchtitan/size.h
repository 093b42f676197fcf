#pragma once

#include "backends/common/dimensions.h"
#include "primus_plan/config/node.h"

namespace primus_plan::torchtitan {

/// The dimensions of the flavor that `model.name` and `model.flavor` name; zeros when it is not known.
Dimensions dimensions(const Node& params);

}  // namespace primus_plan::torchtitan
