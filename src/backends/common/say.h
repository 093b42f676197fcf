#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primus_plan/config/fields.h"
#include "primus_plan/config/node.h"
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

/// Says which word of a closed set is near the one that is written, and offers to write it where it is clearly meant
/// (meant_word): a fix never chooses for the author.
void offer_word(Message& m, const Word& field, std::span<const std::string_view> words, bool safe = false);
/// The same with the words as "a|b|c".
void offer_word(Message& m, const Word& field, std::string_view choices, bool safe = false);
/// The same for a word of a list, or of a key that is no field.
void offer_word(Message& m, const Node& node, std::span<const std::string_view> words);

/// Ends a contradiction of two keys by changing the first; the second where the author wrote the first and a preset or
/// default holds the second: what somebody asked for outweighs what nobody did.
template <class A, class B>
void fix_either(Message& m, const Sourced<A>& first, std::string first_value, const Sourced<B>& second,
                std::string second_value) {
  const auto set = [&](const auto& field, std::string value) {
    std::string title = fmt::format("set {} to {}", field.key, value);
    m.fix(std::move(title), field, std::move(value));
  };
  if (is_asked_for(first) && !is_asked_for(second)) return set(second, std::move(second_value));
  set(first, std::move(first_value));
}

/// The divisors of n that are at most `most`, ascending.
std::vector<Int> divisors_up_to(Int n, Int most);
/// "1, 2, 3, 5": the same as text.
std::string divisors_text(Int n, Int most);

}  // namespace primus_plan
