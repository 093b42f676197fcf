#pragma once

#include <optional>

namespace primus_plan {

/// The ASCII digit that a decimal digit of any script stands for (Unicode category Nd, Unicode 14), as Python's \d, int
/// and float know them; nothing for other characters.
std::optional<char> ascii_digit(char32_t c);

}  // namespace primus_plan
