#include "primus_plan/report/what_if.h"

#include <fmt/core.h>

#include "primus_plan/planner/compare.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/change_json.h"
#include "report/finding_text.h"
#include "report/json_parts.h"
#include "report/paint.h"
#include "report/text_parts.h"
#include "report/trend.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

std::string verdict_text(const Analysis& analysis, const Paint& paint) {
  if (analysis.errors > 0)
    return paint.severity(Severity::error, counted(static_cast<std::int64_t>(analysis.errors), "error"));
  if (analysis.warnings > 0)
    return paint.severity(Severity::warning, counted(static_cast<std::int64_t>(analysis.warnings), "warning"));
  return paint.good(to_string(analysis.verdict));
}

/// Columns of a number: less on terminals that a difference would not fit on beside two wide ones.
int number_columns(const TextStyle& style) { return style.wraps && style.width < 70 ? 10 : 14; }

std::string row_text(const MovedNumber& row, const Paint& paint, const TextStyle& style) {
  const int columns = number_columns(style);
  const std::string name = row.unit.empty() ? std::string(row.name) : fmt::format("{} ({})", row.name, row.unit);
  std::string line = fmt::format("  {:<20} {:>{}} {:>{}}", name, row.before, columns, row.after, columns);
  if (row.moved) line = paint.bold(line);
  if (!row.difference.empty()) line += fmt::format("  {}", paint_trend(paint, row.trend, row.difference));
  return line + "\n";
}

}  // namespace

std::string change_to_text(const Change& change, const TextStyle& style) {
  const Paint paint(style.color);
  const std::string head = fmt::format("{} ({}, {}): {} -> {}", escape_controls(change.after.path),
                                       escape_controls(change.after.module), escape_controls(change.after.framework),
                                       verdict_text(change.before, paint), verdict_text(change.after, paint));
  const int columns = number_columns(style);
  std::string text = wrapped(head, 2, style) + "\n";
  text += paint.bold(fmt::format("  {:<20} {:>{}} {:>{}}", "", "before", columns, "after", columns)) + "\n";
  for (const MovedNumber& row : moved_numbers(change)) text += row_text(row, paint, style);
  const bool estimated = change.before_estimate != nullptr || change.after_estimate != nullptr;
  if (change.after.run.launch.assumed) {
    text += wrapped("  " + assumed_size_text(change.after.run.launch), 4, style) + "\n";
  } else if (change.before.run.launch.assumed) {
    text += wrapped("  before: " + assumed_size_text(change.before.run.launch), 4, style) + "\n";
  }
  if (estimated && !change.hardware.empty()) {
    const std::string line = fmt::format("  memory and time are estimates for {}", escape_controls(change.hardware));
    text += wrapped(line, 4, style) + "\n";
  }
  const std::string lacking = uncounted_text(change.before, change.after, {"the run before", "the run after"});
  if (!lacking.empty()) text += wrapped("  note: " + lacking, 4, style) + "\n";
  for (const Finding* gone : findings_missing_from(change.before.findings, change.after.findings)) {
    const std::string line = fmt::format("  gone: {}: {} [{} {}]", to_string(gone->severity),
                                         escape_controls(gone->message), gone->rule->id, gone->rule->name);
    text += wrapped(line, 4, style) + "\n";
  }
  for (const Finding* fresh : findings_missing_from(change.after.findings, change.before.findings)) {
    text += "\n" + new_finding_to_text(*fresh, change.after, style);
  }
  return text;
}

std::string change_to_json(const Change& change) {
  JsonWriter json;
  json.begin_object();
  json.key("before");
  write_module(json, change.before);
  json.key("after");
  write_module(json, change.after);
  json.key("changes").begin_array();
  write_number_changes(json, change.before.run, change.after.run);
  json.end_array();
  json.key("estimates").begin_array();
  for (const EstimateDifference& row :
       estimate_differences(change.before, change.before_estimate, change.after, change.after_estimate)) {
    write_estimate_change(json, row);
  }
  json.end_array();
  write_lines(json, "not_counted_before", uncounted(change.before));
  write_lines(json, "not_counted_after", uncounted(change.after));
  json.key("hardware");
  change.hardware.empty() ? json.null() : json.string(change.hardware);
  write_findings(json, "new", findings_missing_from(change.after.findings, change.before.findings), change.after);
  write_findings(json, "gone", findings_missing_from(change.before.findings, change.after.findings), change.before);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
