#pragma once

#include "backends/common/overrides.h"
#include "primus_plan/run/run.h"

namespace primus_plan::maxtext {

/// Keys and values that ask for these degrees; 0 leaves a degree to MaxText's default. Each degree is put inside the
/// launch's nodes as far as it shares factors with what is free there, and across nodes for the rest; fsdp takes what
/// is left of a node. Where the product of the degrees divides the world, both products come out: what one node has no
/// factor for, the number of nodes has. Empty for degrees that MaxText cannot express (experts cut in another way than
/// the rest).
Overrides degree_overrides(const Degrees& degrees, const Launch& launch);

}  // namespace primus_plan::maxtext
