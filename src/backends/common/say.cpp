#include "backends/common/say.h"

#include <fmt/format.h>

#include <cmath>

#include "backends/common/choices.h"
#include "primus_plan/support/meant_word.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

const Count& largest_of(std::initializer_list<const Count*> fields) {
  const Count* best = *fields.begin();
  for (const Count* field : fields) {
    const bool better = field->is_explicit && (!best->is_explicit || field->value > best->value);
    if (better) best = field;
  }
  return *best;
}

std::string numbers_text(std::span<const Int> numbers) { return fmt::format("{}", fmt::join(numbers, ", ")); }

std::vector<Int> multiples_around(Int value, Int step) {
  const auto [below, above] = nearest_multiples(value, step);
  std::vector<Int> out;
  if (below) out.push_back(*below);
  if (above) out.push_back(*above);
  return out;
}

void help_with_nearest(Message& m, const std::vector<Int>& legal) {
  if (!legal.empty()) m.help("nearest legal values: {}", numbers_text(legal));
}

std::optional<Int> nearest_of(const std::vector<Int>& numbers, Int value) {
  std::optional<Int> nearest;
  for (const Int number : numbers) {
    // In doubles: the distance of two far ends does not fit an integer.
    const auto distance = [&](Int other) { return std::abs(static_cast<double>(other) - static_cast<double>(value)); };
    if (!nearest || distance(number) <= distance(*nearest)) nearest = number;
  }
  return nearest;
}

namespace {

/// The word that is meant, having said it; where none is clear, the nearest one is only asked about.
std::optional<std::string_view> ask_for_word(Message& m, std::string_view wrong,
                                             std::span<const std::string_view> words) {
  const std::optional<std::string_view> meant = meant_word(wrong, words);
  if (meant) {
    m.help("did you mean {}?", *meant);
  } else if (const auto near = nearest_names(wrong, words, 2); near.size() == 1 && !near.front().empty()) {
    m.help("did you mean {}?", near.front());
  }
  return meant;
}

}  // namespace

void offer_word(Message& m, const Word& field, std::span<const std::string_view> words, bool safe) {
  if (field.value.data() == nullptr) return;
  if (const auto meant = ask_for_word(m, *field, words))
    m.fix(fmt::format("set {} to {}", field.key, *meant), field, std::string(*meant), safe);
}

void offer_word(Message& m, const Word& field, std::string_view choices, bool safe) {
  offer_word(m, field, split_choices(choices), safe);
}

void offer_word(Message& m, const Node& node, std::span<const std::string_view> words) {
  if (!node.is_string()) return;
  if (const auto meant = ask_for_word(m, node.text, words))
    m.fix(fmt::format("write {}", *meant), node.origin, std::string(*meant));
}

std::vector<Int> divisors_up_to(Int n, Int most) {
  std::vector<Int> out = divisors(n);
  std::erase_if(out, [&](Int divisor) { return divisor > most; });
  return out;
}

std::string divisors_text(Int n, Int most) { return numbers_text(divisors_up_to(n, most)); }

}  // namespace primus_plan
