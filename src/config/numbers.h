#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/config/node.h"

namespace primus_plan {

/// Python refuses to turn longer decimal texts into integers (sys.get_int_max_str_digits).
inline constexpr std::size_t max_integer_digits = 4300;

/// An integer of any size, built digit by digit.
class Decimal {
 public:
  /// value = value * factor + addend.
  void multiply_add(std::uint32_t factor, std::uint32_t addend);
  /// Decimal digits without leading zeros.
  std::string digits() const;

 private:
  std::vector<std::uint32_t> limbs_;  ///< base 10^9, least first
};

/// Makes `node` an integer, or a big_integer when it does not fit 64 bits.
void set_integer(Node& node, bool negative, std::string_view decimal_digits);

/// Python's int(text, base) for ASCII text without underscores: white space around it, a sign, a prefix that fits the
/// base (0b, 0o, 0x). Empty where Python raises ValueError. Bases: 2, 8, 10, 16.
struct ParsedInteger {
  bool negative = false;
  std::string digits;  ///< decimal
};
std::optional<ParsedInteger> parse_python_integer(std::string_view text, unsigned base);

/// A decimal number that is known to be well formed, without underscores and sign, as the nearest double; infinity or 0
/// where it is out of range.
double decimal_value(std::string_view number);

/// Python's float(text) for ASCII text without underscores; empty where Python raises ValueError.
std::optional<double> parse_python_float(std::string_view text);

}  // namespace primus_plan
