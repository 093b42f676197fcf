#include "report/repairs_text.h"

#include <fmt/core.h>

#include "primus_plan/support/number.h"
#include "report/paint.h"
#include "report/wrap.h"

namespace primus_plan {
namespace {

std::string changes_text(const std::vector<KeyChange>& changes) {
  std::string text;
  for (const KeyChange& change : changes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", change.key, change.to);
  }
  return text;
}

std::string tokens_text(std::int64_t before, std::int64_t after) {
  if (after <= 0) return {};
  if (before == after) return " (tokens a step stay)";
  std::string text = fmt::format(" ({} tokens a step", with_commas(after));
  if (before > 0) {
    text += fmt::format(", {:+.1f} %", 100 * (static_cast<double>(after) / static_cast<double>(before) - 1));
  }
  return text + ")";
}

}  // namespace

std::string repairs_to_text(const Analysis& analysis, const TextStyle& style) {
  const Paint paint(style.color);
  std::string text;
  for (const Repair& repair : analysis.repairs) {
    const std::string line = fmt::format(
        "{}legal with {}: {}{}", paint.bold("help: "), repair.changes.size() == 1 ? "one change" : "two changes",
        changes_text(repair.changes), tokens_text(analysis.run.batch.tokens_per_step(), repair.tokens_per_step));
    text += wrapped(line, 6, style) + '\n';
  }
  return text;
}

}  // namespace primus_plan
