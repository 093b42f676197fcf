#pragma once

#include <initializer_list>
#include <string>

#include "primus_plan/config/fields.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan {

/// Phrases that rules of several backends share. All of them are made only when somebody reads the text.

/// The field to point at when several multiply up: the largest one that a file sets, else the first.
const Count& largest_of(std::initializer_list<const Count*> fields);

/// The positive multiple of `step` next to `value`, the larger one of two that are as near; 0 when there is none.
Int nearest_multiple(Int value, Int step);

/// "96, 128": the multiples of `step` around `value` that are at least `step`.
std::string nearest_text(Int value, Int step);

/// Offers to set a key to the multiple of `step` next to `value`, the larger one of two that are as near.
template <class T>
void fix_to_nearest(Message& m, const Sourced<T>& field, Int value, Int step) {
  const Int nearest = nearest_multiple(value, step);
  if (nearest > 0) m.fix(fmt::format("set {} to {}", field.key, nearest), field, fmt::format("{}", nearest));
}

/// "1, 2, 3, 5": the divisors of n that are at most `most`.
std::string divisors_text(Int n, Int most);

}  // namespace primus_plan
