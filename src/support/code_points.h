#pragma once

#include <cstddef>
#include <string_view>

namespace primus_plan {

/// One character of a UTF-8 text.
struct CodePoint {
  char32_t value = 0;      ///< U+FFFD for a byte that starts no character
  std::string_view bytes;  ///< as it stands in the text
  bool valid = true;       ///< false: not UTF-8. An encoded surrogate is invalid too but keeps its value
};

/// The character at byte `at`, which must lie inside the text; moves `at` behind it. Never fails: a stray byte is an
/// invalid character of its own.
CodePoint next_code_point(std::string_view text, std::size_t& at);

/// Columns that a character takes on a terminal: 0 for combining marks, 2 for East Asian wide ones and emoji, else 1.
int display_width(char32_t value);

/// Columns that a text takes on a terminal.
int display_width(std::string_view text);

/// Whether a character has no picture: controls, separators of lines, direction overrides, the byte order mark.
/// Printing these raw would let a file draw over the report.
bool is_control(char32_t value);

}  // namespace primus_plan
