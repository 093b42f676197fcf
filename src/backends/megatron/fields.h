#pragma once

#include <span>

#include "backends/megatron/config.h"

namespace primus_plan::megatron {

/// The one field table of this backend. Reading, type errors, `why`, `effective`, completion and overrides walk it.
/// Defaults: megatron/training/arguments.py at the pinned commit; Primus-only keys default to what its getattr calls
/// use.
std::span<const Field<MegatronConfig>> fields();

}  // namespace primus_plan::megatron
