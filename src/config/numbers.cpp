#include "config/numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "primus_plan/support/text.h"
#include "support/lower_case.h"

namespace primus_plan {
namespace {

constexpr std::uint32_t limb_base = 1'000'000'000;
constexpr std::string_view white_space = " \t\n\r\f\v\x1c\x1d\x1e\x1f";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(white_space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(white_space) - begin + 1);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char letter = lower_case(c);
  return letter >= 'a' && letter <= 'z' ? static_cast<unsigned>(letter - 'a') + 10 : 99;
}

/// Takes a sign off the front; true for a minus.
bool take_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool negative = text.front() == '-';
  text.remove_prefix(1);
  return negative;
}

void take_prefix(std::string_view& text, unsigned base) {
  const char letter = base == 2 ? 'b' : base == 8 ? 'o' : base == 16 ? 'x' : '\0';
  if (letter != '\0' && text.size() > 1 && text[0] == '0' && lower_case(text[1]) == letter) text.remove_prefix(2);
}

std::optional<std::string> to_decimal(std::string_view text, unsigned base) {
  if (text.empty() || text.size() > max_integer_digits * 4) return std::nullopt;
  Decimal value;
  for (const char c : text) {
    if (digit_value(c) >= base) return std::nullopt;
    value.multiply_add(base, digit_value(c));
  }
  return value.digits();
}

/// \d+(\.\d*)? or \.\d+, then an exponent.
bool is_decimal_float(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > begin;
  };
  const bool whole = digits();
  bool fraction = false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    fraction = digits();
  }
  if (!whole && !fraction) return false;
  if (i < text.size() && lower_case(text[i]) == 'e') {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

}  // namespace

void Decimal::multiply_add(std::uint32_t factor, std::uint32_t addend) {
  std::uint64_t carry = addend;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % limb_base);
    carry /= limb_base;
  }
  if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
}

std::string Decimal::digits() const {
  if (limbs_.empty()) return "0";
  std::string result = fmt::format("{}", limbs_.back());
  for (auto limb = limbs_.rbegin() + 1; limb != limbs_.rend(); ++limb) result += fmt::format("{:09}", *limb);
  return result;
}

void set_integer(Node& node, bool negative, std::string_view decimal_digits) {
  std::string text = negative && decimal_digits != "0" ? "-" : "";
  text += decimal_digits;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node.integer);
  node.kind = error == std::errc{} ? Kind::integer : Kind::big_integer;
  if (node.kind == Kind::big_integer) node.text = std::move(text);
}

std::optional<ParsedInteger> parse_python_integer(std::string_view text, unsigned base) {
  text = trim(text);
  ParsedInteger result;
  result.negative = take_sign(text);
  take_prefix(text, base);
  auto digits = to_decimal(text, base);
  if (!digits || digits->size() > max_integer_digits) return std::nullopt;
  result.digits = std::move(*digits);
  return result;
}

double decimal_value(std::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  if (std::from_chars(number.data(), end, value).ec == std::errc{}) return value;
  // Out of range: the place of the first digit that is not zero, plus the exponent, tells too large from too small.
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return 0;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const double place = first < point ? static_cast<double>(point - first) : -static_cast<double>(first - point);
  std::string_view digits = number.substr(std::min(e + 1, number.size()));
  const bool is_negative = take_sign(digits);
  constexpr double beyond_counting = 1e9;
  double exponent = digits.empty() ? 0 : beyond_counting;
  if (int parsed = 0; std::from_chars(digits.data(), end, parsed).ec == std::errc{}) exponent = parsed;
  return place + (is_negative ? -exponent : exponent) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

std::optional<double> parse_python_float(std::string_view text) {
  text = trim(text);
  const double sign = take_sign(text) ? -1.0 : 1.0;
  if (equal_ignoring_case(text, "inf") || equal_ignoring_case(text, "infinity")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (equal_ignoring_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (!is_decimal_float(text)) return std::nullopt;
  return sign * decimal_value(text);
}

}  // namespace primus_plan
