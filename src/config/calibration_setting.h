#pragma once

#include <functional>
#include <string>

#include "primus_plan/config/calibration.h"
#include "primus_plan/config/node.h"

namespace primus_plan {

/// Told of a fault and its place.
using TellFault = std::function<void(const Origin& where, const std::string& text)>;

/// What `calibration:` in the file of settings at `path` says. `tell` gets every fault: no mapping, unknown keys, a
/// part that is no text, compute-scale out of 0.25 to 4, memory-extra-gib out of -1024 to 1024.
StoredCalibration read_calibration(const Entry& entry, const std::string& path, const TellFault& tell);

}  // namespace primus_plan
