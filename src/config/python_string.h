#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace primus_plan::python {

/// A Python string or bytes literal at the front of a text.
struct StringLiteral {
  std::string value;  ///< UTF-8, or the bytes
  bool is_bytes = false;
  std::size_t size = 0;  ///< bytes of the literal in the text

  /// Whether the text begins with a quote, or a prefix and a quote.
  static bool starts_here(std::string_view text);
  /// Nothing where Python has a SyntaxError, and for f-strings and \N{…}.
  static std::optional<StringLiteral> parse(std::string_view text);
};

}  // namespace primus_plan::python
