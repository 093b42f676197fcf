#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan {

/// Bytes of a GiB.
inline constexpr double gib = 1024.0 * 1024.0 * 1024.0;

/// 2^53: below, a double holds every integer exactly.
inline constexpr double largest_exact_integer = 9007199254740992.0;

/// a * b, or nothing when it does not fit.
std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b);
/// a * b, or the largest (smallest) number when it does not fit. For products that are only compared or divided by: a
/// product of sizes that overflows divides no world size.
std::int64_t saturating_multiply(std::int64_t a, std::int64_t b);

/// Greatest common divisor of the absolute values; 0 only for two zeros.
std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b);
/// Least common multiple of the absolute values; 0 when one of them is 0; nothing when it does not fit.
std::optional<std::int64_t> least_common_multiple(std::int64_t a, std::int64_t b);

/// Division and remainder as Python does them: rounded down, the remainder has the divisor's sign. b is not 0.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
std::int64_t floor_remainder(std::int64_t a, std::int64_t b);

/// All positive divisors, ascending; none for numbers below 1. Above 10^12 only those that come in pairs with one of at
/// most 10^6: a search for advice must not take minutes.
std::vector<std::int64_t> divisors(std::int64_t n);

/// The legal values next to an illegal one.
struct Multiples {
  std::optional<std::int64_t> below;  ///< absent when it would be 0
  std::optional<std::int64_t> above;  ///< absent when it does not fit
};
/// The positive multiples of `step` at or below and above `value`; a value that is a multiple itself is its own
/// `below`. Nothing for a step below 1.
Multiples nearest_multiples(std::int64_t value, std::int64_t step);

/// "1,048,576".
std::string with_commas(std::int64_t value);
/// "1 node", "1,024 GPUs": a number with its noun in the regular plural.
std::string counted(std::int64_t count, std::string_view noun);
/// "950", "12.3 K", "405 B", "1.5 T": three significant digits, powers of 1000.
std::string human_count(double value);
/// "512 B", "1.5 GiB", "191 GiB": three significant digits, powers of 1024.
std::string human_bytes(double bytes);

}  // namespace primus_plan
