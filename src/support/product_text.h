#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <string>

namespace primus_plan {

/// What a product of saturating_multiply is where it does not fit into 64 bits.
inline constexpr std::int64_t largest_product = std::numeric_limits<std::int64_t>::max();

/// A product of saturating_multiply as messages tell it: its digits, or "2^63 or more".
inline std::string product_text(std::int64_t product) {
  return product == largest_product ? "2^63 or more" : fmt::format("{}", product);
}

}  // namespace primus_plan
