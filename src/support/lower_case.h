#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// An ASCII letter in lower case; other characters as they are, whatever the locale.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text);

}  // namespace primus_plan
