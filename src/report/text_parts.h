#pragma once

#include <cstddef>
#include <string>

#include "primus_plan/run/launch.h"

namespace primus_plan {

/// "870 ms", "1.25 s".
std::string seconds_text(double seconds);

/// "world size 8 assumed: smallest world for these degrees (set it with --world-size or --nodes)".
std::string assumed_size_text(const Launch& launch);

/// A text with spaces behind it, up to a width in columns.
std::string padded(std::string text, std::size_t width);

}  // namespace primus_plan
