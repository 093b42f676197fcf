#include "config/python_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "config/decimal_digits.h"
#include "config/numbers.h"
#include "support/utf8.h"

namespace primus_plan::python {
namespace {

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// Digits of every script as ASCII; other characters as they are.
std::string ascii_digits(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (const auto digit = c.valid ? ascii_digit(c.value) : std::nullopt) {
      result += *digit;
    } else {
      result += text.substr(at, c.length);
    }
    at += c.length;
  }
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes digits with single underscores between them off the front; the digits alone, empty when there are none.
std::string take_digits(std::string_view& text) {
  std::string digits;
  while (!text.empty()) {
    const bool separator = text[0] == '_' && !digits.empty() && text.size() > 1 && is_digit(text[1]);
    if (!separator && !is_digit(text[0])) break;
    if (!separator) digits += text[0];
    text.remove_prefix(1);
  }
  return digits;
}

bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

bool begins_with_space(std::string_view text) {
  const CodePoint c = decode_utf8(text, 0);
  return c.valid && is_space(c.value);
}

}  // namespace

std::string_view strip(std::string_view text) {
  while (!text.empty() && begins_with_space(text)) text.remove_prefix(decode_utf8(text, 0).length);
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && continues_character(text[last])) --last;
    if (!begins_with_space(text.substr(last)) || last + decode_utf8(text, last).length != text.size()) break;
    text = text.substr(0, last);
  }
  return text;
}

std::string_view strip_dashes(std::string_view text) {
  while (text.starts_with('-')) text.remove_prefix(1);
  return text;
}

NodePtr to_integer(std::string_view text, const Origin& origin) {
  const std::string plain = ascii_digits(text);
  std::string_view rest = plain;
  const bool negative = take_sign(rest);
  const std::string digits = take_digits(rest);
  if (digits.empty() || !rest.empty() || digits.size() > max_integer_digits) return nullptr;
  return integer_of(digits, negative, origin);
}

NodePtr to_real(std::string_view text, const Origin& origin) {
  const std::string plain = ascii_digits(text);
  std::string_view rest = plain;
  const bool negative = take_sign(rest);
  std::string number = take_digits(rest);
  const bool has_whole = !number.empty();
  bool has_fraction = false;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::string fraction = take_digits(rest);
    has_fraction = !fraction.empty();
    number += "." + fraction;
  }
  if (!has_whole && !has_fraction) return nullptr;
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    const bool small = take_sign(rest);
    const std::string exponent = take_digits(rest);
    if (exponent.empty()) return nullptr;
    number += (small ? "e-" : "e") + exponent;
  }
  if (!rest.empty()) return nullptr;
  const double value = decimal_value(number);
  return make_real(negative ? -value : value, origin);
}

NodePtr integer_of(std::string_view digits, bool negative, const Origin& origin) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  Node node;
  node.origin = origin;
  set_integer(node, negative, digits.empty() ? "0" : digits);
  return std::make_shared<const Node>(std::move(node));
}

}  // namespace primus_plan::python
