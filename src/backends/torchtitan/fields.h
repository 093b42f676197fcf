#pragma once

#include <span>

#include "backends/torchtitan/config.h"

namespace primus_plan::torchtitan {

/// The one field table of this backend. Reading, type errors, unknown keys, `why`, `effective`, completion and
/// overrides walk it. Defaults: torchtitan/config/job_config.py of v0.2.2; Primus-only keys default to off.
std::span<const Field<TorchTitanConfig>> fields();

}  // namespace primus_plan::torchtitan
