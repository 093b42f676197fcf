#pragma once

#include <span>

#include "backends/maxtext/config.h"

namespace primus_plan::maxtext {

/// The one field table of this backend. Reading, choices, `effective`, completion and overrides walk it.
/// Defaults: src/maxtext/configs/base.yml at the pinned commit; choices: src/maxtext/configs/types.py.
std::span<const Field<MaxTextConfig>> fields();

}  // namespace primus_plan::maxtext
