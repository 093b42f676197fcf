#pragma once

#include "primus_plan/backends/backend.h"

namespace primus_plan::maxtext {

/// MaxText under Primus.
const Backend& backend();

}  // namespace primus_plan::maxtext
