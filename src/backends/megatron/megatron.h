#pragma once

#include "primus_plan/backends/backend.h"

namespace primus_plan::megatron {

/// Megatron-LM as Primus drives it.
const Backend& backend();

}  // namespace primus_plan::megatron
