#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "primus_plan/support/number.h"

namespace primus_plan {

/// A count that was reckoned as a real number: "8,030,261,248", "1.2e+25" where no integer holds it.
inline std::string whole(double count) {
  constexpr double too_large = 0x1p63;
  return std::abs(count) < too_large ? with_commas(std::llround(count)) : human_count(count);
}

/// The words of a part as the name it is asked for by: "gathered_weights" of "gathered weights".
inline std::string as_name(std::string_view words) {
  std::string out(words);
  std::ranges::replace_if(
      out, [](char c) { return c == ' ' || c == '-'; }, '_');
  return out;
}

}  // namespace primus_plan
