#include "primus_plan/report/what_if.h"

#include <fmt/core.h>

#include "primus_plan/planner/compare.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/finding_text.h"
#include "report/json_parts.h"
#include "report/paint.h"

namespace primus_plan {

namespace {

std::string number(std::int64_t value) { return value > 0 ? with_commas(value) : "?"; }

std::string verdict_text(const Analysis& analysis, const Paint& paint) {
  if (analysis.errors > 0)
    return paint.severity(Severity::error, counted(static_cast<std::int64_t>(analysis.errors), "error"));
  if (analysis.warnings > 0)
    return paint.severity(Severity::warning, counted(static_cast<std::int64_t>(analysis.warnings), "warning"));
  return paint.good(to_string(analysis.verdict));
}

}  // namespace

std::string change_to_text(const Change& change, const TextStyle& style) {
  const Paint paint(style.color);
  std::string text = fmt::format("{} ({}, {}): {} -> {}\n", escape_controls(change.after.path),
                                 escape_controls(change.after.module), escape_controls(change.after.framework),
                                 verdict_text(change.before, paint), verdict_text(change.after, paint));
  text += paint.bold(fmt::format("  {:<20} {:>14} {:>14}", "", "before", "after")) + "\n";
  for (const RunNumber& row : run_numbers()) {
    const std::int64_t before = row.value(change.before.run);
    const std::int64_t after = row.value(change.after.run);
    if (before == after && !row.always) continue;
    const std::string line = fmt::format("  {:<20} {:>14} {:>14}", row.name, number(before), number(after));
    text += (before == after ? line : paint.bold(line)) + "\n";
  }
  for (const Finding* gone : findings_missing_from(change.before.findings, change.after.findings)) {
    text += fmt::format("  gone: {}: {} [{} {}]\n", to_string(gone->severity), escape_controls(gone->message),
                        gone->rule->id, gone->rule->name);
  }
  for (const Finding* fresh : findings_missing_from(change.after.findings, change.before.findings)) {
    text += "\nnew: " + finding_to_text(*fresh, change.after.origin, change.after.path, style);
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
  for (const RunNumber& row : run_numbers()) {
    const std::int64_t before = row.value(change.before.run);
    const std::int64_t after = row.value(change.after.run);
    if (before == after) continue;
    json.begin_object(JsonWriter::Layout::one_line).key("name").string(row.name).key("before");
    before > 0 ? json.integer(before) : json.null();
    json.key("after");
    after > 0 ? json.integer(after) : json.null();
    json.end_object();
  }
  json.end_array();
  const auto list = [&json](std::string_view key, const std::vector<const Finding*>& findings,
                            const Analysis& analysis) {
    json.key(key).begin_array();
    for (const Finding* finding : findings) write_finding(json, *finding, analysis.origin, analysis.path);
    json.end_array();
  };
  list("new", findings_missing_from(change.after.findings, change.before.findings), change.after);
  list("gone", findings_missing_from(change.before.findings, change.after.findings), change.before);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
