#pragma once

#include "backends/common/overrides.h"
#include "primus_plan/run/run.h"

namespace primus_plan::maxtext {

/// Keys and values that ask for these degrees; 0 leaves a degree to MaxText's default. Each degree is put inside nodes
/// of eight GPUs as far as it divides what is free there, and across nodes for the rest; fsdp takes what is left of a
/// node. Empty for degrees that MaxText cannot express (experts cut in another way than the rest).
Overrides degree_overrides(const Degrees& degrees);

}  // namespace primus_plan::maxtext
