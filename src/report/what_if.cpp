#include "primus_plan/report/what_if.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/finding_text.h"
#include "report/json_parts.h"
#include "report/paint.h"

namespace primus_plan {

namespace {

/// One number of a run. `always` rows are shown even when they stay.
struct Row {
  std::string_view name;
  std::int64_t (*value)(const RunDescription& run);
  bool always = false;
};

constexpr std::array<Row, 16> rows{{
    {"world size", [](const RunDescription& run) { return run.launch.world_size; }, true},
    {"nodes", [](const RunDescription& run) { return run.launch.nodes; }},
    {"TP", [](const RunDescription& run) { return run.degrees.tensor; }},
    {"PP", [](const RunDescription& run) { return run.degrees.pipeline; }},
    {"VPP", [](const RunDescription& run) { return run.degrees.virtual_pipeline; }},
    {"CP", [](const RunDescription& run) { return run.degrees.context; }},
    {"EP", [](const RunDescription& run) { return run.degrees.expert; }},
    {"ETP", [](const RunDescription& run) { return run.degrees.expert_tensor; }},
    {"DP", [](const RunDescription& run) { return run.degrees.data; }, true},
    {"shard ranks", [](const RunDescription& run) { return run.degrees.data_shard; }},
    {"expert DP", [](const RunDescription& run) { return run.degrees.expert_data; }},
    {"micro-batch", [](const RunDescription& run) { return run.batch.micro; }},
    {"global batch", [](const RunDescription& run) { return run.batch.global; }},
    {"accumulation steps", [](const RunDescription& run) { return run.batch.accumulation_steps; }, true},
    {"sequence length", [](const RunDescription& run) { return run.batch.sequence_length; }},
    {"tokens a step", [](const RunDescription& run) { return run.batch.tokens_per_step(); }},
}};

std::string number(std::int64_t value) { return value > 0 ? with_commas(value) : "?"; }

/// Findings of `list` that `others` does not have: another rule, or the same with other numbers.
std::vector<const Finding*> missing_from(const std::vector<Finding>& list, const std::vector<Finding>& others) {
  std::vector<const Finding*> out;
  for (const Finding& finding : list) {
    const bool there = std::any_of(others.begin(), others.end(), [&](const Finding& other) {
      return other.rule == finding.rule && other.message == finding.message;
    });
    if (!there) out.push_back(&finding);
  }
  return out;
}

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
  for (const Row& row : rows) {
    const std::int64_t before = row.value(change.before.run);
    const std::int64_t after = row.value(change.after.run);
    if (before == after && !row.always) continue;
    const std::string line = fmt::format("  {:<20} {:>14} {:>14}", row.name, number(before), number(after));
    text += (before == after ? line : paint.bold(line)) + "\n";
  }
  for (const Finding* gone : missing_from(change.before.findings, change.after.findings)) {
    text += fmt::format("  gone: {}: {} [{} {}]\n", to_string(gone->severity), escape_controls(gone->message),
                        gone->rule->id, gone->rule->name);
  }
  for (const Finding* fresh : missing_from(change.after.findings, change.before.findings)) {
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
  for (const Row& row : rows) {
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
  list("new", missing_from(change.after.findings, change.before.findings), change.after);
  list("gone", missing_from(change.before.findings, change.after.findings), change.before);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
