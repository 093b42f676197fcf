#include "config/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace primus_plan::python {
namespace {

/// One code point at the front of UTF-8 text; `size` 1 and the byte itself where the text is not UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 1;
};

CodePoint front(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size == 1 || first < 0xC0 || text.size() < size) return {first, 1};
  char32_t value = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {first, 1};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  return {value, size};
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// The zeros of Unicode's decimal digits (category Nd); nine more digits follow each.
constexpr std::array<char32_t, 37> zeros = {
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10};

/// Digits of every script as ASCII; other characters as they are.
std::string ascii_digits(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint c = front(text);
    const auto next = std::ranges::upper_bound(zeros, c.value);
    if (c.value >= 0x80 && next != zeros.begin() && c.value - *std::prev(next) < 10) {
      result += static_cast<char>('0' + (c.value - *std::prev(next)));
    } else {
      result += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
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

/// sys.int_max_str_digits: longer texts are a ValueError.
constexpr std::size_t most_digits = 4300;

}  // namespace

std::string_view strip(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = front(text);
    if (!is_space(c.value)) break;
    text.remove_prefix(c.size);
  }
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    const CodePoint c = front(text.substr(start));
    if (start + c.size != text.size() || !is_space(c.value)) break;
    text.remove_suffix(c.size);
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
  if (digits.empty() || !rest.empty() || digits.size() > most_digits) return nullptr;
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
  const double value = real_of(number);
  return make_real(negative ? -value : value, origin);
}

double real_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{}) return value;
  // Out of range: the place of the first digit that is not zero, plus the exponent, tells too large from too small.
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const bool small_exponent = e + 1 < text.size() && text[e + 1] == '-';
  double exponent = e < text.size() ? 1e9 : 0;  // from_chars fails on exponents of many digits as well
  const std::string_view digits = text.substr(std::min(e + (small_exponent ? 2U : 1U), text.size()));
  if (int parsed = 0; std::from_chars(digits.data(), digits.data() + digits.size(), parsed).ec == std::errc{}) {
    exponent = parsed;
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return 0;
  const double place = first < point ? static_cast<double>(point - first) : -static_cast<double>(first - point);
  return place + (small_exponent ? -exponent : exponent) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

NodePtr integer_of(std::string_view digits, bool negative, const Origin& origin) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return make_integer(0, origin);
  const std::string text = (negative ? "-" : "") + std::string(digits);
  std::int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}) {
    return make_integer(value, origin);
  }
  Node node;
  node.kind = Kind::big_integer;
  node.text = text;
  node.origin = origin;
  return std::make_shared<const Node>(std::move(node));
}

}  // namespace primus_plan::python
