#pragma once

#include <initializer_list>
#include <string>

#include "primus_plan/config/fields.h"

namespace primus_plan {

/// Phrases that rules of several backends share. All of them are made only when somebody reads the text.

/// The field to point at when several multiply up: the largest one that a file sets, else the first.
const Count& largest_of(std::initializer_list<const Count*> fields);

/// "96, 128": the multiples of `step` around `value` that are at least `step`.
std::string nearest_text(Int value, Int step);

/// "1, 2, 3, 5": the divisors of n that are at most `most`.
std::string divisors_text(Int n, Int most);

}  // namespace primus_plan
