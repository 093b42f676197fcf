#pragma once

#include <string>
#include <string_view>

#include "config/yaml/locator.h"

namespace primus_plan::yaml {

/// A text that PyYAML's reader accepts. Its line breaks are the ones that yaml-cpp knows, and every byte stands at the
/// offset it has in the source.
class CheckedText {
 public:
  /// Throws LoadError for bytes that are not UTF-8 and for characters that YAML does not allow anywhere.
  /// Source: yaml/reader.py:check_printable, and Python's text mode (universal line breaks).
  explicit CheckedText(Locator& locator);
  CheckedText(const CheckedText&) = delete;
  CheckedText& operator=(const CheckedText&) = delete;

  std::string_view view() const { return view_; }
  /// The same for yaml-cpp: without escapes that only PyYAML accepts, and with a line break at the end, since yaml-cpp
  /// does not take the end of a file for white space. Scalars are read from `view`, so nothing is lost.
  std::string_view parser_view() const { return parser_view_; }
  /// Where the text begins: after a byte order mark.
  std::size_t begin() const { return begin_; }

 private:
  std::string changed_;     ///< only when line breaks had to be replaced
  std::string for_parser_;  ///< only when it differs
  std::string_view view_;
  std::string_view parser_view_;
  std::size_t begin_ = 0;
};

}  // namespace primus_plan::yaml
