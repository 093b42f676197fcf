#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace primus_plan {

/// What may stand at the beginning of a file and takes no column.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// One step through UTF-8 text.
struct CodePoint {
  char32_t value = 0;      ///< the byte itself when `valid` is false
  std::size_t length = 1;  ///< bytes; at least 1
  bool valid = true;
};

/// Reads the code point at `position`, which is inside the text. Overlong forms, surrogates and values past U+10FFFF
/// are invalid (RFC 3629); an invalid byte is stepped over alone.
CodePoint decode_utf8(std::string_view text, std::size_t position);

/// Whether a byte is a later part of a character.
constexpr bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Characters of a text, as lines and columns count them: bytes that begin one.
std::size_t count_code_points(std::string_view text);

/// Adds a code point up to U+10FFFF. Surrogates are written like other code points of their size, which is no UTF-8.
void append_utf8(std::string& out, char32_t value);

/// The beginning of a text, at most `most` bytes of it, without the first part of a character.
std::string_view cut_utf8(std::string_view text, std::size_t most);

}  // namespace primus_plan
