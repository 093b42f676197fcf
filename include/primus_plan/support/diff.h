#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// What differs between two texts as `diff -u` writes it, three lines of context around each change; empty for equal
/// texts. Lines end with LF as far as a diff is concerned; everything else in them is kept as it is.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace primus_plan
