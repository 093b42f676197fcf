#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "primus_plan/config/fields.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan {

/// Phrases that rules of several backends share. All of them are made only when somebody reads the text.

/// The field to point at when several multiply up: the largest one that a file sets, else the first.
const Count& largest_of(std::initializer_list<const Count*> fields);

/// "96, 128".
std::string numbers_text(std::span<const Int> numbers);

/// The positive multiples of `step` around `value`, ascending: none for a step below 1.
std::vector<Int> multiples_around(Int value, Int step);

/// "nearest legal values: 96, 128", where there are any.
void help_with_nearest(Message& m, const std::vector<Int>& legal);

/// The number of an ascending list next to `value`, the larger one of two that are as near; nothing of an empty list.
std::optional<Int> nearest_of(const std::vector<Int>& numbers, Int value);

/// Offers to set a key to the nearest of its legal values.
template <class T>
void fix_to_nearest(Message& m, const Sourced<T>& field, Int value, const std::vector<Int>& legal) {
  const std::optional<Int> nearest = nearest_of(legal, value);
  if (nearest) m.fix(fmt::format("set {} to {}", field.key, *nearest), field, fmt::format("{}", *nearest));
}

/// The divisors of n that are at most `most`, ascending.
std::vector<Int> divisors_up_to(Int n, Int most);
/// "1, 2, 3, 5": the same as text.
std::string divisors_text(Int n, Int most);

}  // namespace primus_plan
