#include <fmt/core.h>

#include <algorithm>

#include "config/document_rules.h"
#include "config/yaml/scalars.h"
#include "support/utf8.h"

namespace primus_plan::yaml {
namespace {

struct Escape {
  char letter;
  std::string_view value;
};

constexpr Escape escapes[] = {
    {'0', {"\0", 1}},  {'a', "\a"},           {'b', "\b"},           {'t', "\t"}, {'\t', "\t"},
    {'n', "\n"},       {'v', "\v"},           {'f', "\f"},           {'r', "\r"}, {'e', "\x1B"},
    {' ', " "},        {'"', "\""},           {'\\', "\\"},          {'/', "/"},  {'N', "\xC2\x85"},
    {'_', "\xC2\xA0"}, {'L', "\xE2\x80\xA8"}, {'P', "\xE2\x80\xA9"},
};

std::size_t hex_digits(char letter) { return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class QuotedReader {
 public:
  QuotedReader(const Characters& text, std::size_t at, Locator& locator)
      : text_(text), locator_(locator), start_(at), quote_(text.peek(at)), at_(at + 1) {}

  Scalar read() {
    read_words();
    while (text_.peek(at_) != quote_) {
      read_space();
      read_words();
    }
    result_.end = at_ + 1;
    return std::move(result_);
  }

 private:
  bool is_double() const { return quote_ == '"'; }

  /// Up to white space or the closing quote.
  void read_words() {
    while (!text_.is_blank(at_)) {
      const char c = text_.peek(at_);
      if (c == '\'' && !is_double() && text_.peek(at_ + 1) == '\'') {
        result_.value += '\'';
        at_ += 2;
      } else if (c == quote_) {
        return;
      } else if (c == '\\' && is_double()) {
        read_escape();
      } else {
        result_.value += c;
        ++at_;
      }
    }
  }

  void read_escape() {
    const char letter = text_.peek(at_ + 1);
    if (text_.is_break(at_ + 1)) {
      at_ = text_.after_break(at_ + 1);
      result_.value.append(skip_breaks(), '\n');
      return;
    }
    if (const std::size_t digits = hex_digits(letter); digits != 0) return read_hex(digits);
    const auto* known = std::find_if(std::begin(escapes), std::end(escapes),
                                     [&](const Escape& escape) { return escape.letter == letter; });
    if (known == std::end(escapes) || text_.is_end(at_ + 1)) {
      locator_.fail(loading::invalid_yaml, {at_, at_ + 2},
                    "this escape is not known in double quotes; write two backslashes, or use single quotes");
    }
    result_.value += known->value;
    at_ += 2;
  }

  void read_hex(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = hex_value(text_.peek(at_ + 2 + i));
      if (digit < 0) {
        locator_.fail(loading::invalid_yaml, {at_, at_ + 2},
                      fmt::format("this escape needs {} hexadecimal digits", digits));
      }
      value = (value << 4U) | static_cast<char32_t>(digit);
    }
    if (value > 0x10FFFF) {
      locator_.fail(loading::invalid_yaml, {at_, at_ + 2 + digits}, "this escape is no Unicode character");
    }
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;  // which UTF-8 cannot hold
    append_utf8(result_.value, is_surrogate ? char32_t{0xFFFD} : value);
    at_ += 2 + digits;
  }

  /// White space within the quotes: kept on a line, folded around line breaks.
  void read_space() {
    const std::size_t begin = at_;
    while (text_.peek(at_) == ' ' || text_.peek(at_) == '\t') ++at_;
    if (text_.is_end(at_)) {
      locator_.fail(loading::invalid_yaml, {start_, start_ + 1}, "this quote is not closed before the end of the file");
    }
    if (!text_.is_break(at_)) {
      result_.value += text_.between(begin, at_);
      return;
    }
    at_ = text_.after_break(at_);
    const std::size_t breaks = skip_breaks();
    if (breaks == 0) result_.value += ' ';
    result_.value.append(breaks, '\n');
  }

  /// Empty lines and indentation; the number of line breaks passed.
  std::size_t skip_breaks() {
    for (std::size_t breaks = 0;; ++breaks) {
      if (text_.is_document_marker(at_)) {
        locator_.fail(loading::invalid_yaml, {start_, start_ + 1},
                      "this quote is not closed before the line of dashes or dots that ends the document");
      }
      while (text_.peek(at_) == ' ' || text_.peek(at_) == '\t') ++at_;
      if (!text_.is_break(at_)) return breaks;
      at_ = text_.after_break(at_);
    }
  }

  const Characters& text_;
  Locator& locator_;
  std::size_t start_;
  char quote_;
  std::size_t at_;
  Scalar result_;
};

}  // namespace

Scalar read_quoted(const Characters& text, std::size_t at, Locator& locator) {
  return QuotedReader(text, at, locator).read();
}

}  // namespace primus_plan::yaml
