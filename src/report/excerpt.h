#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace primus_plan {

/// A source line as a terminal can show it, with marks below a range of it.
struct Excerpt {
  std::string line;
  std::string marks;  ///< "    ^~~~"
};

/// Tabs become spaces up to the next multiple of four, characters without a picture become escapes (\x1b), and a line
/// wider than `width` columns is cut around the marked range, with "…" at the cut ends. `column` is 1-based and counts
/// code points, as `length` does; column 0 marks nothing.
Excerpt make_excerpt(std::string_view line, std::uint32_t column, std::uint32_t length, int width);

}  // namespace primus_plan
