#include "backends/common/say.h"

#include <fmt/core.h>

#include "primus_plan/support/number.h"

namespace primus_plan {

const Count& largest_of(std::initializer_list<const Count*> fields) {
  const Count* best = *fields.begin();
  for (const Count* field : fields) {
    const bool better = field->is_explicit && (!best->is_explicit || field->value > best->value);
    if (better) best = field;
  }
  return *best;
}

Int nearest_multiple(Int value, Int step) {
  const auto [below, above] = nearest_multiples(value, step);
  if (!below || !above) return below ? *below : above.value_or(0);
  return value - *below < *above - value ? *below : *above;
}

std::string nearest_text(Int value, Int step) {
  const auto [below, above] = nearest_multiples(value, step);
  std::string text = below ? fmt::format("{}", *below) : "";
  if (above) text += fmt::format("{}{}", text.empty() ? "" : ", ", *above);
  return text;
}

std::string divisors_text(Int n, Int most) {
  std::string text;
  for (const Int divisor : divisors(n)) {
    if (divisor > most) break;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", divisor);
  }
  return text;
}

}  // namespace primus_plan
