#include "primus_plan/support/word_match.h"

#include <algorithm>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::string_view separators = "_-./";

/// Takes the next word off the text; empty at its end.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(separators), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(word.size());
  return word;
}

bool begins_with(std::string_view word, std::string_view start) {
  return word.size() >= start.size() && equal_ignoring_case(word.substr(0, start.size()), start);
}

bool has_words(std::string_view candidate, std::string_view name) {
  for (std::string_view wanted = take_word(name); !wanted.empty(); wanted = take_word(name)) {
    std::string_view word = take_word(candidate);
    while (!word.empty() && !begins_with(word, wanted)) word = take_word(candidate);
    if (word.empty()) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string_view> names_with_words(std::string_view name, std::span<const std::string_view> candidates,
                                               std::size_t max) {
  std::vector<std::string_view> out;
  if (name.find_first_not_of(separators) == std::string_view::npos) return out;
  for (const std::string_view candidate : candidates) {
    if (has_words(candidate, name)) out.push_back(candidate);
  }
  std::ranges::stable_sort(out, {}, &std::string_view::size);
  out.resize(std::min(out.size(), max));
  return out;
}

}  // namespace primus_plan
