#include <fmt/core.h>

#include <algorithm>

#include "config/document_rules.h"
#include "config/yaml/scalars.h"
#include "support/utf8.h"

namespace primus_plan::yaml {
namespace {

bool contains(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

bool can_start(const Characters& text, std::size_t at, bool flow) {
  const char c = text.peek(at);
  if (text.is_blank(at)) return false;
  if (!contains("-?:,[]{}#&*!|>'\"%@`", c)) return true;
  return !text.is_blank(at + 1) && (c == '-' || (!flow && (c == '?' || c == ':')));
}

bool ends_here(const Characters& text, std::size_t at, bool flow) {
  const char c = text.peek(at);
  if (c == ':') return text.is_blank(at + 1) || (flow && contains(",[]{}", text.peek(at + 1)));
  return text.is_blank(at) || (flow && contains(",?[]{}", c));
}

/// What separates two words of a plain scalar.
struct Separation {
  std::string text;
  std::size_t end = 0;
  std::size_t column = 0;  ///< of `end` when a line break was passed
  bool same_line = true;
  bool document_marker = false;
};

Separation read_separation(const Characters& text, std::size_t at) {
  Separation result;
  std::size_t i = text.skip_spaces(at);
  if (!text.is_break(i)) {
    result.text = text.between(at, i);
    result.end = i;
    return result;
  }
  result.same_line = false;
  std::size_t breaks = 0;
  std::size_t line = 0;
  while (text.is_break(i)) {
    i = line = text.after_break(i);
    if (text.is_document_marker(i)) {
      result.document_marker = true;
      break;
    }
    i = text.skip_spaces(i);
    ++breaks;
  }
  result.text = breaks == 1 ? std::string(1, ' ') : std::string(breaks == 0 ? 0 : breaks - 1, '\n');
  result.end = i;
  result.column = i - line;
  return result;
}

/// U+2028 and U+2029 are line breaks to PyYAML, which stay in the text without the white space around them.
void fold_line_separators(std::string& value) {
  constexpr std::size_t length = 3;
  for (std::size_t at = value.find("\xE2\x80"); at != std::string::npos; at = value.find("\xE2\x80", at + 1)) {
    if (value.compare(at + 2, 1, "\xA8") != 0 && value.compare(at + 2, 1, "\xA9") != 0) continue;
    const std::size_t after = std::min(value.find_first_not_of(' ', at + length), value.size());
    value.erase(at + length, after - at - length);
    const std::size_t before = at == 0 ? std::string::npos : value.find_last_not_of(' ', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    value.erase(begin, at - begin);
    at = begin;
    if (at + length == value.size()) value.resize(at);
  }
}

}  // namespace

std::size_t Characters::line_end(std::size_t at) const {
  return std::min(text_.find_first_of("\r\n", at), text_.size());
}

std::size_t Characters::skip_spaces(std::size_t at) const {
  return std::min(text_.find_first_not_of(' ', at), text_.size());
}

bool Characters::is_document_marker(std::size_t at) const {
  const std::string_view prefix = text_.substr(std::min(at, text_.size()), 3);
  return (prefix == "---" || prefix == "...") && is_blank(at + 3);
}

Scalar read_plain(const Characters& text, std::size_t at, std::size_t indent, bool flow, Locator& locator) {
  if (!can_start(text, at, flow)) {
    const std::size_t length = text.is_end(at) ? 0 : decode_utf8(text.between(at, text.size()), 0).length;
    locator.fail(loading::invalid_yaml, {at, at + length},
                 fmt::format("'{}' cannot start a value here; quote the text", text.between(at, at + length)));
  }
  Scalar result;
  result.end = at;
  std::size_t i = at;
  while (text.peek(i) != '#') {
    const std::size_t word = i;
    while (!ends_here(text, i, flow)) ++i;
    if (i == word) break;
    result.value += text.between(word, i);
    result.end = i;
    Separation separation = read_separation(text, i);
    const bool too_far_left = !separation.same_line && !flow && separation.column < indent;
    if (separation.document_marker || separation.end == i || too_far_left) break;
    i = separation.end;
    if (text.peek(i) == '#' || ends_here(text, i, flow)) break;
    result.value += separation.text;
  }
  fold_line_separators(result.value);
  return result;
}

}  // namespace primus_plan::yaml
