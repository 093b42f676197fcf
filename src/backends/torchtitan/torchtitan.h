#pragma once

#include "primus_plan/backends/backend.h"

namespace primus_plan::torchtitan {

/// TorchTitan as Primus drives it.
const Backend& backend();

}  // namespace primus_plan::torchtitan
