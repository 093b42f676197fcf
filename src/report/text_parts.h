#pragma once

#include <cstddef>
#include <string>

namespace primus_plan {

/// "870 ms", "1.25 s".
std::string seconds_text(double seconds);

/// A text with spaces behind it, up to a width in columns.
std::string padded(std::string text, std::size_t width);

}  // namespace primus_plan
