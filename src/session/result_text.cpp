#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "primus_plan/planner/compare.h"
#include "primus_plan/report/what_if.h"
#include "primus_plan/session/session.h"
#include "primus_plan/support/text.h"
#include "report/finding_text.h"
#include "report/paint.h"
#include "report/repairs_text.h"
#include "report/trend.h"
#include "report/wrap.h"

namespace primus_plan::session {

namespace {

/// New findings that are told whole; the others are counted.
constexpr std::size_t most_told = 4;

Change change_of(const Result& result) {
  return {.before = result.before->analysis(),
          .after = result.after->analysis(),
          .before_estimate = result.before->estimated(),
          .after_estimate = result.after->estimated()};
}

/// Numbers that say nothing of a model without experts.
constexpr std::array<std::string_view, 3> of_experts{"EP", "ETP", "expert DP"};
/// What is still worth a line where only one side has estimates.
constexpr std::array<std::string_view, 2> of_one_side{"memory", "tokens/s/GPU"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Rows that tell something new.
std::vector<MovedNumber> told_numbers(const Result& result) {
  std::vector<MovedNumber> rows = moved_numbers(change_of(result));
  const bool has_experts = result.before->run().experts > 0 || result.after->run().experts > 0;
  const bool one_side = (result.before->estimated() == nullptr) != (result.after->estimated() == nullptr);
  const auto data = std::ranges::find(rows, "DP", &MovedNumber::name);
  const std::string before = data != rows.end() ? data->before : "";
  const std::string after = data != rows.end() ? data->after : "";
  std::erase_if(rows, [&](const MovedNumber& row) {
    const bool is_estimate = !row.unit.empty() || row.name == "tokens/s/GPU";
    return !row.moved || (!has_experts && contains(of_experts, row.name)) ||
           (row.name == "shard ranks" && row.before == before && row.after == after) ||
           (one_side && is_estimate && !contains(of_one_side, row.name));
  });
  return rows;
}

/// "  memory        61.3 -> 41.0 GiB   -20.3 GiB".
std::string numbers_text(const Result& result, const Paint& paint) {
  std::string text;
  for (const MovedNumber& row : told_numbers(result)) {
    const std::string unit = row.unit.empty() ? "" : fmt::format(" {}", row.unit);
    const std::string value = fmt::format("{} -> {}{}", row.before, row.after, unit);
    text += fmt::format("  {:<18} {}{}\n", row.name, paint.bold(value),
                        row.difference.empty() ? "" : "   " + paint_trend(paint, row.trend, row.difference));
  }
  const std::string& before = result.before->part.hardware.name;
  const std::string& after = result.after->part.hardware.name;
  if (before != after) text += fmt::format("  {:<18} {}\n", "hardware", paint.bold(before + " -> " + after));
  return text;
}

bool has_rule(const std::vector<const Finding*>& findings, const RuleInfo* rule) {
  return std::ranges::any_of(findings, [rule](const Finding* one) { return one->rule == rule; });
}

std::string finding_line(const std::string& word, const Finding& finding, const TextStyle& style) {
  const std::string line = fmt::format("  {} {} [{} {}]", word, escape_controls(shortened(finding.message)),
                                       finding.rule->id, finding.rule->name);
  return wrapped(line, 6, style) + "\n";
}

std::string ways_out(const Finding& finding, const TextStyle& style) {
  std::string text;
  for (const std::string& reason : reasons_and_ways_out(finding)) {
    if (reason.starts_with("help:")) text += wrapped("    " + escape_controls(reason), 6, style) + "\n";
  }
  return text;
}

std::string gone_text(const std::vector<const Finding*>& gone, const Paint& paint, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < std::min(gone.size(), most_told); ++i) {
    text += finding_line(fmt::format("{} {}:", paint.good("gone"), to_string(gone[i]->severity)), *gone[i], style);
  }
  return gone.size() > most_told ? text + fmt::format("  and {} more are gone\n", gone.size() - most_told) : text;
}

std::string findings_text(const Result& result, const Paint& paint, const TextStyle& style) {
  const std::vector<Finding>& before = result.before->analysis().findings;
  const std::vector<Finding>& after = result.after->analysis().findings;
  std::vector<const Finding*> gone = findings_missing_from(before, after);
  std::vector<const Finding*> fresh = findings_missing_from(after, before);
  const std::vector<const Finding*> old = gone;
  // The same rule with other numbers is one finding that goes on.
  std::erase_if(gone, [&fresh](const Finding* one) { return has_rule(fresh, one->rule); });
  std::ranges::stable_sort(fresh, {}, [](const Finding* one) { return -static_cast<int>(one->severity); });
  std::string text = gone_text(gone, paint, style);
  for (std::size_t i = 0; i < std::min(fresh.size(), most_told); ++i) {
    const Finding& one = *fresh[i];
    const bool goes_on = has_rule(old, one.rule);
    const std::string word = fmt::format("{} {}:", goes_on ? "now" : "new", to_string(one.severity));
    text += finding_line(paint.severity(one.severity, word), one, style);
    if (!goes_on) text += ways_out(one, style);
  }
  if (fresh.size() > most_told) text += fmt::format("  and {} more; see show findings\n", fresh.size() - most_told);
  if (result.after->is_legal()) return text;
  return text + repairs_to_text(result.after->analysis(), style);
}

std::string moved_text(const Result& result, const TextStyle& style) {
  const Paint paint(style.color);
  std::string text = numbers_text(result, paint) + findings_text(result, paint, style);
  if (result.goal_before != result.goal_after && !result.goal_after.empty()) {
    text += wrapped(fmt::format("  goal {}", result.goal_after), 4, style) + "\n";
  }
  return text.empty() ? "  no number and no finding changes\n" : text;
}

std::string inner_text(const Result& result, const TextStyle& style) {
  std::string text;
  for (const Result& one : result.inner) {
    if (one.command.empty()) continue;
    text += fmt::format("> {}\n", escape_controls(one.command)) + result_to_text(one, style);
  }
  return text;
}

}  // namespace

std::string result_to_text(const Result& result, const TextStyle& style) {
  std::string text = inner_text(result, style);
  if (!result.ok) {
    const std::string word = Paint(style.color).severity(Severity::error, "error:");
    return text + wrapped(fmt::format("{} {}", word, escape_controls(result.error)), 7, style) + "\n";
  }
  if (result.text) text += result.text(style);
  if (result.moved() && result.inner.empty()) text += moved_text(result, style);
  return text;
}

}  // namespace primus_plan::session
