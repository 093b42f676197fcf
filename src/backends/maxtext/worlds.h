#pragma once

#include "backends/maxtext/parsed.h"

namespace primus_plan::maxtext {

/// The smallest number of devices that the degrees fill, with nodes of eight GPUs where several nodes are needed and an
/// axis inside a node takes what is left; 0 when no number does (a degree of 0, two of -1).
Int smallest_world(const MaxTextConfig& config, const ParsedKeys& parsed);

}  // namespace primus_plan::maxtext
