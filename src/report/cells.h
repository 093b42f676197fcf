#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/paint.h"

namespace primus_plan {

/// One column of a line of a picture. Both texts are static.
struct Cell {
  std::string_view glyph = " ";  ///< one column wide
  std::string_view style = {};   ///< an SGR code: "30;48;5;75"; none: as the terminal writes
};

using Cells = std::vector<Cell>;

/// The columns as text: neighbours of one style are painted together, blanks at the end are left out.
std::string drawn(const Cells& cells, const Paint& paint);

/// Writes ASCII text from a column on, as far as there are columns.
void write_text(Cells& cells, std::size_t column, std::string_view text, std::string_view style = {});

/// The glyph of one ASCII character, as static text.
std::string_view ascii_glyph(char character);

/// A piece of a line, painted or not, and the columns that it takes.
struct LinePiece {
  std::string text;
  std::size_t columns = 0;
};
/// The pieces with two blanks between them, in lines of at most `width` columns, each indented by two.
std::string flowed(const std::vector<LinePiece>& pieces, std::size_t width);

}  // namespace primus_plan
