#pragma once

#include <cstddef>
#include <string_view>

namespace primus_plan {

/// One step through UTF-8 text.
struct CodePoint {
  char32_t value = 0;      ///< the byte itself when `valid` is false
  std::size_t length = 1;  ///< bytes; at least 1
  bool valid = true;
};

/// Reads the code point at `position`, which is inside the text. Overlong forms, surrogates and values past U+10FFFF
/// are invalid (RFC 3629); an invalid byte is stepped over alone.
CodePoint decode_utf8(std::string_view text, std::size_t position);

}  // namespace primus_plan
