#include "primus_plan/support/meant_word.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "primus_plan/support/text.h"
#include "support/lower_case.h"

namespace primus_plan {
namespace {

/// Number types that the frameworks name in two ways.
constexpr std::array<std::array<std::string_view, 2>, 3> synonyms{
    {{"fp32", "float32"}, {"bf16", "bfloat16"}, {"fp16", "float16"}}};

constexpr std::size_t shortest_beginning = 3;

/// What is left of a word when case and separators do not count. Points stay: 1.7b is not 17b.
std::string letters_of(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c != '-' && c != '_' && c != '+' && c != ' ') out += lower_case(c);
  }
  return out;
}

/// The digits and points of a word, sorted: another digit is another size or type, swapped ones are a slip.
std::string digits_of(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if ((c >= '0' && c <= '9') || c == '.') out += c;
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string_view first_name(std::string_view letters) {
  for (const auto& names : synonyms) {
    if (letters == names[1]) return names[0];
  }
  return letters;
}

/// The only one of the words that fits.
template <class Fits>
std::optional<std::string_view> only_one(std::span<const std::string_view> words, const Fits& fits) {
  std::optional<std::string_view> found;
  for (const std::string_view word : words) {
    if (word.empty() || !fits(word)) continue;
    if (found) return std::nullopt;
    found = word;
  }
  return found;
}

}  // namespace

std::optional<std::string_view> meant_word(std::string_view word, std::span<const std::string_view> words) {
  const std::string letters = letters_of(word);
  if (letters.empty()) return std::nullopt;
  if (const auto same =
          only_one(words, [&](std::string_view other) { return first_name(letters_of(other)) == first_name(letters); }))
    return same;

  const std::string digits = digits_of(letters);
  std::size_t nearest = letters.size() / 3;
  const auto distance = [&](std::string_view other) {
    const std::string others = letters_of(other);
    const bool may_be = others.front() == letters.front() && digits_of(others) == digits;
    return may_be ? edit_distance(letters, others, nearest) : nearest + 1;
  };
  const auto begins = [&](std::string_view other) { return letters_of(other).starts_with(letters); };
  const bool is_near = std::ranges::any_of(
      words, [&](std::string_view other) { return !letters_of(other).empty() && distance(other) <= nearest; });
  if (!is_near) return letters.size() < shortest_beginning ? std::nullopt : only_one(words, begins);
  for (const std::string_view other : words) {
    if (!letters_of(other).empty()) nearest = std::min(nearest, distance(other));
  }
  const auto found = only_one(words, [&](std::string_view other) { return distance(other) <= nearest; });
  if (!found || (nearest <= 1 && begins(*found))) return found;
  // "optim_g" is next to optim, and the beginning of optim_grads as well.
  const bool begins_another =
      std::ranges::any_of(words, [&](std::string_view other) { return other != *found && begins(other); });
  return begins_another ? std::nullopt : found;
}

}  // namespace primus_plan
