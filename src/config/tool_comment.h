#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/origin.h"

namespace primus_plan {

/// A comment `# primus-plan: …`.
struct ToolComment {
  std::uint32_t line = 0;
  bool alone = false;       ///< nothing but blanks stands before it on its line
  std::string_view whole;   ///< from the blanks before the `#` to the end of the line
  std::string_view text;    ///< after the marker, as far as the word ignore[…]
  std::string_view ignore;  ///< "ignore[…]"; empty when there is none
  std::string_view reason;  ///< what follows it, without blanks around
  bool has_colon = true;    ///< false: `# primus-plan world-size=8`, which is meant to be one; only `text` is set
};

/// Such comments on lines [first, last] (1-based), in order. A `#` inside quotes starts no comment.
std::vector<ToolComment> find_tool_comments(const Source& source, std::uint32_t first, std::uint32_t last);

}  // namespace primus_plan
