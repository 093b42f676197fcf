#include "config/python_string.h"

#include <algorithm>

#include "support/utf8.h"

namespace primus_plan::python {
namespace {

struct Prefix {
  std::size_t size = 0;
  bool raw = false;
  bool bytes = false;
  bool known = true;
};

/// r, b, u, rb, br in any case; anything else (f) is not a literal.
Prefix read_prefix(std::string_view text) {
  Prefix prefix;
  prefix.size = std::min(text.find_first_of("'\""), text.size());
  for (const char c : text.substr(0, prefix.size)) {
    const char lower = static_cast<char>(c | 0x20);
    if (lower == 'r' && !prefix.raw) {
      prefix.raw = true;
    } else if (lower == 'b' && !prefix.bytes) {
      prefix.bytes = true;
    } else if (lower != 'u' || prefix.size != 1) {
      prefix.known = false;
    }
  }
  return prefix;
}

/// Digits of a number in base 8 or 16 at `at`, at most `most`.
std::optional<char32_t> read_digits(std::string_view text, std::size_t& at, std::size_t most, unsigned base) {
  char32_t value = 0;
  std::size_t count = 0;
  for (; count < most && at < text.size(); ++count, ++at) {
    const char c = text[at];
    const char lower = static_cast<char>(c | 0x20);
    unsigned digit = 99;
    if (c >= '0' && c <= '9') digit = unsigned(c - '0');
    if (lower >= 'a' && lower <= 'f') digit = unsigned(lower - 'a') + 10;
    if (digit >= base) break;
    value = value * base + digit;
  }
  if (count == 0) return std::nullopt;
  if (base == 16 && count != most) return std::nullopt;
  return value;
}

/// What one character after the backslash stands for; '\0' when it is none of these.
char simple_escape(char c) {
  constexpr std::string_view letters = "\\'\"abfnrtv";
  constexpr std::string_view values = "\\'\"\a\b\f\n\r\t\v";
  const std::size_t at = letters.find(c);
  return at == std::string_view::npos ? '\0' : values[at];
}

/// The escape whose backslash is at `at`; moves past it. False: a syntax error.
bool read_escape(std::string_view text, std::size_t& at, bool bytes, std::string& out) {
  const char c = text[++at];
  if (const char value = simple_escape(c); value != '\0') {
    out += value;
    ++at;
    return true;
  }
  if (c == '\n') {
    ++at;
    return true;
  }
  const bool octal = c >= '0' && c <= '7';
  const bool wide = !bytes && (c == 'u' || c == 'U');
  if (c == 'N' && !bytes) return false;
  if (!octal && !wide && c != 'x') {
    out += '\\';  // Python keeps what it does not know
    return true;
  }
  if (!octal) ++at;
  const std::size_t most = octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : 8;
  const auto code = read_digits(text, at, most, octal ? 8 : 16);
  if (!code || *code > 0x10FFFF) return false;
  if (bytes) {
    out += static_cast<char>(static_cast<unsigned char>(*code & 0xFFU));
  } else {
    append_utf8(out, *code);
  }
  return true;
}

}  // namespace

bool StringLiteral::starts_here(std::string_view text) {
  const std::size_t quote = text.find_first_of("'\"");
  if (quote > 2) return false;  // npos among them
  return std::ranges::all_of(text.substr(0, quote), [](char c) {
    const int lower = c | 0x20;
    return lower >= 'a' && lower <= 'z';
  });
}

std::optional<StringLiteral> StringLiteral::parse(std::string_view text) {
  const Prefix prefix = read_prefix(text);
  if (!prefix.known || prefix.size >= text.size()) return std::nullopt;
  const std::string_view rest = text.substr(prefix.size);
  const bool triple = rest.size() >= 3 && rest[1] == rest[0] && rest[2] == rest[0];
  const std::string_view quote = rest.substr(0, triple ? 3 : 1);
  StringLiteral result{.is_bytes = prefix.bytes};
  for (std::size_t at = prefix.size + quote.size(); at < text.size();) {
    if (text.substr(at).starts_with(quote)) {
      result.size = at + quote.size();
      return result;
    }
    const char c = text[at];
    if (c == '\n' && !triple) return std::nullopt;
    if (prefix.bytes && static_cast<unsigned char>(c) >= 0x80) return std::nullopt;
    if (c != '\\') {
      result.value += c;
      ++at;
      continue;
    }
    if (at + 1 == text.size()) return std::nullopt;
    if (prefix.raw) {
      result.value += text.substr(at, 2);
      at += 2;
      continue;
    }
    if (!read_escape(text, at, prefix.bytes, result.value)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace primus_plan::python
