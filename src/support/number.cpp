#include "primus_plan/support/number.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

namespace primus_plan {
namespace {

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

/// `value` scaled down by `base` until it is short, with three significant digits.
std::string scaled(double value, double base, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  // Half a unit of the last printed digit must not print as "1000 K" or "1024 MiB".
  while (unit + 1 < units.size() && std::abs(value) >= base - 0.5) {
    value /= base;
    ++unit;
  }
  const double size = std::abs(value);
  const int decimals = unit == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  if (units[unit].empty()) return text;
  return fmt::format("{} {}", text, units[unit]);
}

}  // namespace

std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  using limits = std::numeric_limits<std::int64_t>;
  return checked_multiply(a, b).value_or((a < 0) == (b < 0) ? limits::max() : limits::min());
}

std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
  const std::uint64_t divisor = std::gcd(magnitude(a), magnitude(b));
  return static_cast<std::int64_t>(std::min<std::uint64_t>(divisor, std::numeric_limits<std::int64_t>::max()));
}

std::optional<std::int64_t> least_common_multiple(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == std::numeric_limits<std::int64_t>::min() || b == std::numeric_limits<std::int64_t>::min())
    return std::nullopt;
  return checked_multiply(std::abs(a) / greatest_common_divisor(a, b), std::abs(b));
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == -1) return saturating_multiply(a, -1);
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  constexpr std::int64_t most_tried = 1'000'000;  // far above any number of layers, heads or ranks
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  for (std::int64_t candidate = 1; n > 0 && candidate <= std::min(n / candidate, most_tried); ++candidate) {
    if (n % candidate != 0) continue;
    low.push_back(candidate);
    if (candidate != n / candidate) high.push_back(n / candidate);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

Multiples nearest_multiples(std::int64_t value, std::int64_t step) {
  if (step < 1) return {};
  if (value < step) return {std::nullopt, step};
  const std::int64_t factor = value / step;
  Multiples found{.below = factor * step, .above = checked_multiply(factor + 1, step)};
  return found;
}

std::string with_commas(std::int64_t value) {
  std::string digits = fmt::format("{}", magnitude(value));
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return value < 0 ? "-" + digits : digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

std::string human_count(double value) {
  static constexpr std::string_view units[] = {"", "K", "M", "B", "T", "P", "E"};
  return scaled(value, 1000, units);
}

std::string human_bytes(double bytes) {
  static constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return scaled(bytes, 1024, units);
}

}  // namespace primus_plan
