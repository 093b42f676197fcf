#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/report/diff.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/finding_text.h"
#include "report/paint.h"
#include "report/table.h"
#include "report/text_parts.h"
#include "report/wrap.h"
#include "support/utf8.h"

namespace primus_plan {
namespace {

constexpr std::size_t longest_value = 60;

std::string count_or_unknown(std::int64_t value) { return value > 0 ? with_commas(value) : "?"; }

std::string side_line(std::string_view letter, const std::string& name, const Analysis& analysis, const Paint& paint) {
  const auto count = [](std::size_t number, std::string_view noun) {
    return counted(static_cast<std::int64_t>(number), noun);
  };
  std::string verdict = paint.good(to_string(analysis.verdict));
  if (analysis.errors > 0) {
    verdict = paint.severity(Severity::error, count(analysis.errors, "error"));
  } else if (analysis.warnings > 0) {
    verdict = paint.severity(Severity::warning, count(analysis.warnings, "warning"));
  }
  return fmt::format("{} {} ({}, {}): {}\n", paint.bold(letter), escape_controls(name),
                     escape_controls(analysis.module), escape_controls(analysis.framework), verdict);
}

std::string verdict_line(const Comparison& comparison) {
  if (comparison.is_same()) return "the same run";
  if (!comparison.trains_the_same) return "the two train different things";
  return comparison.other_framework ? "the same model and batch in two frameworks"
                                    : "the same training, run or told in another way";
}

std::string numbers_text(const Comparison& comparison, const Paint& paint, const TextStyle& style) {
  Table table({"", "A", "B", ""});
  for (const NumberDifference& number : comparison.numbers) {
    table.add({std::string(number.name), count_or_unknown(number.before), count_or_unknown(number.after),
               number.differs ? "*" : ""});
  }
  for (const EstimateDifference& estimate : comparison.estimates) {
    const auto say = [](std::optional<double> value) {
      if (!value) return std::string("-");
      if (*value >= 1000) return with_commas(std::llround(*value));
      return fmt::format("{:.{}f}", *value, *value < 10 ? 2 : *value < 100 ? 1 : 0);
    };
    std::string change;
    if (estimate.unit == "%" && estimate.before && estimate.after) {
      const double points = *estimate.after - *estimate.before;
      if (points >= 0.05 || points <= -0.05) change = fmt::format("{:+.1f} points", points);
    } else if (estimate.before.value_or(0) > 0 && estimate.after) {
      const double percent = 100 * (*estimate.after / *estimate.before - 1);
      if (percent >= 0.05 || percent <= -0.05) change = fmt::format("{:+.1f} %", percent);
    }
    table.add({fmt::format("{} ({})", estimate.name, estimate.unit), say(estimate.before), say(estimate.after),
               std::move(change)});
  }
  return table.text(paint, style);
}

std::string shown_value(const std::string& value) {
  if (value.empty()) return "(unset)";
  const std::string text = escape_controls(value);
  return text.size() > longest_value ? fmt::format("{}...", cut_utf8(text, longest_value)) : text;
}

std::string values_text(const Comparison& comparison, const TextStyle& style, const Paint& paint) {
  struct Heading {
    Effect effect;
    std::string_view text;
  };
  std::string text;
  for (const Heading& heading : {Heading{Effect::trains, "values that change what trains"},
                                 Heading{Effect::runs, "values that change how it runs"},
                                 Heading{Effect::tells, "values that change what is told and kept"},
                                 Heading{Effect::unread, "values of keys that nothing reads"}}) {
    std::string lines;
    for (const ValueDifference& value : comparison.values) {
      if (value.effect != heading.effect) continue;
      lines += fmt::format("  {}: {} -> {}\n", escape_controls(value.key), shown_value(value.before),
                           shown_value(value.after));
    }
    if (style.quiet || lines.empty()) continue;
    text += "\n" + paint.bold(heading.text) + "\n" + lines;
  }
  return text;
}

std::string groups_text(const Comparison& comparison, const Paint& paint) {
  if (comparison.groups.empty()) return {};
  std::string text = "\n" + paint.bold("groups") + "\n";
  for (const GroupDifference& group : comparison.groups) {
    text += fmt::format("  {}: size {} -> {}", group.name, group.size_before, group.size_after);
    if (group.crossing_before > 0 || group.crossing_after > 0) {
      text += fmt::format(", groups across nodes {} -> {}", group.crossing_before, group.crossing_after);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string diff_to_text(const DiffReport& report, const TextStyle& style) {
  const Paint paint(style.color);
  const Comparison& comparison = report.comparison;
  std::string text =
      wrapped_lines(side_line("A", report.before_name, report.before, paint) +
                        side_line("B", report.after_name, report.after, paint) + verdict_line(comparison) + "\n\n",
                    style);
  text += numbers_text(comparison, paint, style);
  text += wrapped_lines(values_text(comparison, style, paint) + groups_text(comparison, paint), style);
  text += fmt::format("\n{}: {}\n", paint.bold("does a checkpoint of A load in B"),
                      to_string(comparison.checkpoint.resumes));
  for (const std::string& reason : comparison.checkpoint.reasons) text += wrapped("  " + reason, 4, style) + "\n";
  for (const Finding* gone : comparison.gone) {
    const std::string line = fmt::format("gone: {}: {} [{} {}]", to_string(gone->severity),
                                         escape_controls(gone->message), gone->rule->id, gone->rule->name);
    text += "\n" + wrapped(line, 4, style) + "\n";
  }
  for (const Finding* fresh : comparison.fresh) {
    text += "\n" + new_finding_to_text(*fresh, report.after, style);
  }
  const Launch& a = report.before.run.launch;
  const Launch& b = report.after.run.launch;
  if (a.assumed)
    text += "\n" + wrapped((b.assumed && a.world_size == b.world_size ? "" : "A: ") + assumed_size_text(a), 2, style) +
            "\n";
  if (b.assumed && !(a.assumed && a.world_size == b.world_size))
    text += "\n" + wrapped("B: " + assumed_size_text(b), 2, style) + "\n";
  if (!comparison.estimates.empty() && !report.hardware.empty()) {
    const std::string line = fmt::format("memory and time are estimates for {}", escape_controls(report.hardware));
    text += "\n" + wrapped(line, 2, style) + "\n";
  }
  const std::string lacking = uncounted_text(report.before, report.after, {"A", "B"});
  if (!lacking.empty()) text += wrapped("note: " + lacking, 2, style) + "\n";
  return text;
}

}  // namespace primus_plan
