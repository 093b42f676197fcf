#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan {

/// The candidates that `word` may have been meant to be, closest first, at most `count`: letter case is ignored, about
/// one edit in three letters is allowed, and a candidate that begins with or contains the word counts too.
std::vector<std::string> near_misses(std::string_view word, const std::vector<std::string>& candidates,
                                     std::size_t count = 3);

}  // namespace primus_plan
