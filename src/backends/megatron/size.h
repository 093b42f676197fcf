#pragma once

#include "backends/common/dimensions.h"
#include "primus_plan/config/node.h"

namespace primus_plan::megatron {

/// The dimensions of the model that Megatron builds from these parameters.
Dimensions dimensions(const Node& params);

}  // namespace primus_plan::megatron
