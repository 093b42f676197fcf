#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "config/yaml/locator.h"

namespace primus_plan::yaml {

/// A scalar read from the text.
struct Scalar {
  std::string value;
  std::size_t end = 0;  ///< byte after its last character; for a block scalar, after its last line
};

/// The characters of a text, with YAML's classes of them. Past the end stands a NUL, which checked texts do not have.
class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text) {}

  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  bool is_end(std::size_t at) const { return at >= text_.size(); }
  bool is_break(std::size_t at) const { return peek(at) == '\n' || peek(at) == '\r'; }
  bool is_space_or_break(std::size_t at) const { return is_end(at) || peek(at) == ' ' || is_break(at); }
  bool is_blank(std::size_t at) const { return is_space_or_break(at) || peek(at) == '\t'; }
  std::size_t after_break(std::size_t at) const { return at + (peek(at) == '\r' && peek(at + 1) == '\n' ? 2 : 1); }
  std::size_t line_end(std::size_t at) const;
  std::size_t skip_spaces(std::size_t at) const;
  /// `---` or `...` with white space after it; the caller knows that `at` begins a line.
  bool is_document_marker(std::size_t at) const;
  std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }
  std::size_t size() const { return text_.size(); }

 private:
  std::string_view text_;
};

// Each reads the scalar whose first character is at `at` as PyYAML does, which differs from yaml-cpp in tabs, folding
// and where a plain scalar ends, and throws LoadError where PyYAML refuses it.

/// A plain scalar. `indent`: the column that a continuation line must reach; of no meaning in flow context.
/// Source: yaml/scanner.py:scan_plain, check_plain.
Scalar read_plain(const Characters& text, std::size_t at, std::size_t indent, bool flow, Locator& locator);

/// A single- or double-quoted scalar. Source: yaml/scanner.py:scan_flow_scalar.
Scalar read_quoted(const Characters& text, std::size_t at, Locator& locator);

/// `|` or `>`. `indent`: the least column of its lines, at least 1. Source: yaml/scanner.py:scan_block_scalar.
Scalar read_block(const Characters& text, std::size_t at, std::size_t indent, Locator& locator);

}  // namespace primus_plan::yaml
