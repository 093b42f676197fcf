#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/origin.h"

namespace primus_plan {

/// A comment `# primus-plan: ignore[MG203, LN] reason`, which silences rules on one line: its own, or, where the
/// comment stands alone, the next line that has more than a comment. The texts live in the source.
struct IgnoreComment {
  std::vector<std::string_view> rules;  ///< as written: ids, names, or the first letters of ids
  std::string_view reason;              ///< the rest of the comment; a comment without a reason silences nothing
  std::uint32_t line = 0;               ///< the silenced line
  Origin origin;                        ///< of `ignore[…]`
  Origin comment;  ///< the whole comment with the blanks before it, when there is nothing else in it
};

/// The comments of lines [first, last] (1-based) that silence rules, in order.
std::vector<IgnoreComment> find_ignores(const Source& source, std::uint32_t first = 1,
                                        std::uint32_t last = std::numeric_limits<std::uint32_t>::max());

}  // namespace primus_plan
