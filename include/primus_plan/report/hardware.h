#pragma once

#include <span>
#include <string>

#include "primus_plan/report/report.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan {

/// A line for each part: memory, bandwidths, peaks, links. One part alone is shown whole, field by field with its
/// sources.
std::string hardware_to_text(std::span<const Hardware> parts, const TextStyle& style);

/// An array of {"name", "aliases", "fabric", "sources", …}: every field under the name and in the unit that hardware
/// files have.
std::string hardware_to_json(std::span<const Hardware> parts);

}  // namespace primus_plan
