#include "config/yaml/text.h"

#include <fmt/core.h>

#include <cstdint>
#include <vector>

#include "config/document_rules.h"
#include "support/utf8.h"

namespace primus_plan::yaml {
namespace {

bool is_allowed(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  if (c < 0x7F) return true;
  if (c < 0xA0) return c == 0x85;
  return c != 0xFFFE && c != 0xFFFF;
}

/// Counts, within one line, what yaml-cpp keeps in memory while it looks ahead for the colon of a possible key.
struct LineLoad {
  std::ptrdiff_t open = 0;         ///< brackets without their partner
  std::ptrdiff_t marks = 0;        ///< quotes, anchors, aliases, tags
  std::ptrdiff_t punctuation = 0;  ///< brackets, commas, question marks

  void add(char c) {
    switch (c) {
      case '[':
      case '{':
        ++open, ++punctuation;
        break;
      case ']':
      case '}':
        --open, ++punctuation;
        break;
      case ',':
      case '?':
        ++punctuation;
        break;
      case '&':
      case '*':
      case '!':
      case '"':
      case '\'':
        ++marks;
        break;
      case '\n':
      case '\r':
        *this = {};
        break;
      default:
        break;
    }
  }
  /// No line that people or programs write comes near these bounds.
  bool is_too_much() const { return open > 10'000 || marks > 100'000 || punctuation > 2'000'000; }
};

void check_lookahead(Locator& locator) {
  constexpr std::size_t harmless_size = 64U << 10U;
  const std::string_view text = locator.text();
  if (text.size() < harmless_size) return;
  LineLoad load;
  for (std::size_t i = 0; i < text.size(); ++i) {
    load.add(text[i]);
    if (load.is_too_much()) {
      locator.fail(loading::limit_exceeded, {i, i + 1},
                   "this line has too many brackets, quotes, anchors or tags for this reader: break it into lines");
    }
  }
}

[[noreturn]] void fail_encoding(Locator& locator, std::size_t at) {
  const std::string_view text = locator.text();
  const auto byte = static_cast<unsigned char>(text[at]);
  const bool utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const bool is_gzip = text.starts_with("\x1F\x8B");
  locator.fail(loading::invalid_character, {at, at + 1},
               is_gzip ? std::string("the file is compressed by gzip; unpack it first")
               : utf16 ? std::string("the file is UTF-16 text; save it as UTF-8")
                       : fmt::format("the byte 0x{:02X} is not UTF-8 text here; save the file as UTF-8", byte));
}

/// Offsets of the first digit of escapes such as \ud83d. PyYAML takes lone surrogates, yaml-cpp does not.
std::vector<std::size_t> find_surrogate_escapes(std::string_view text) {
  std::vector<std::size_t> found;
  for (std::size_t at = text.find("\\u"); at != std::string_view::npos; at = text.find("\\u", at + 2)) {
    const std::string_view digits = text.substr(at + 2, 2);
    const bool surrogate = digits.size() == 2 && (digits[0] == 'd' || digits[0] == 'D') &&
                           std::string_view("89abcdefABCDEF").find(digits[1]) != std::string_view::npos;
    if (surrogate) found.push_back(at + 2);
  }
  return found;
}

}  // namespace

CheckedText::CheckedText(Locator& locator) : view_(locator.text()) {
  const std::string_view text = view_;
  if (text.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
  std::vector<std::size_t> lone_returns;
  std::vector<std::size_t> next_lines;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7F) {
      ++i;
      continue;
    }
    const CodePoint c = decode_utf8(text, i);
    if (!c.valid) fail_encoding(locator, i);
    if (!is_allowed(c.value) && text.starts_with("\x1F\x8B")) fail_encoding(locator, i);
    if (!is_allowed(c.value)) {
      locator.fail(loading::invalid_character, {i, i + c.length},
                   fmt::format("the control character U+{:04X}{} is not allowed in YAML",
                               static_cast<unsigned>(c.value), c.value == 0 ? " (NUL)" : ""));
    }
    if (c.value == '\r' && text.substr(i + 1, 1) != "\n") lone_returns.push_back(i);
    if (c.value == 0x85) next_lines.push_back(i);
    i += c.length;
  }
  if (!lone_returns.empty() || !next_lines.empty()) {
    changed_ = text;
    for (const std::size_t at : lone_returns) changed_[at] = '\n';
    for (const std::size_t at : next_lines) changed_.replace(at, 2, "\r\n");
    view_ = changed_;
  }
  check_lookahead(locator);
  parser_view_ = view_;
  const auto surrogates = find_surrogate_escapes(view_);
  const bool ends_with_break = view_.ends_with('\n');
  if (surrogates.empty() && ends_with_break) return;
  for_parser_ = view_;
  for (const std::size_t at : surrogates) for_parser_[at] = '0';
  if (!ends_with_break) for_parser_ += '\n';
  parser_view_ = for_parser_;
}

}  // namespace primus_plan::yaml
