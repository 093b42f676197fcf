#include "primus_plan/planner/compare.h"
#include "primus_plan/session/session.h"
#include "report/change_json.h"
#include "report/json_parts.h"

namespace primus_plan::session {

namespace {

void write_changes(JsonWriter& json, const Result& result) {
  json.key("changes").begin_array();
  write_number_changes(json, result.before->run(), result.after->run());
  const Estimate* before = result.before->estimated();
  const Estimate* after = result.after->estimated();
  for (const EstimateDifference& row :
       estimate_differences(result.before->analysis(), before, result.after->analysis(), after)) {
    if (row.before == row.after) continue;
    write_estimate_change(json, row);
  }
  json.end_array();
}

void write_estimate(JsonWriter& json, const Evaluation& run) {
  const Estimate* estimate = run.estimated();
  bool is_known = estimate != nullptr && !estimate->memory.stages.empty();
  const auto real = [&](std::string_view name, double value) {
    json.key(name);
    is_known ? json.real(value) : json.null();
  };
  const Estimate nothing;
  const Estimate& e = estimate != nullptr ? *estimate : nothing;
  real("memory_bytes", e.memory.device.expected);
  is_known = estimate != nullptr;
  real("memory_capacity_bytes", run.part.hardware.memory_bytes);
  is_known = e.step.seconds > 0;
  real("tokens_per_second_per_gpu", e.step.tokens_per_second_per_gpu);
  real("step_seconds", e.step.seconds);
  real("mfu", e.step.mfu);
  real("bubble_share", e.step.bubble_share);
  json.key("fit");
  estimate != nullptr&& e.fit ? json.string(word_of(*e.fit)) : json.null();
}

void write_numbers(JsonWriter& json, const Evaluation& run) {
  const RunDescription& r = run.run();
  json.key("numbers").begin_object();
  write_count(json, "world_size", r.launch.world_size);
  write_count(json, "nodes", r.launch.nodes);
  write_count(json, "tensor", r.degrees.tensor);
  write_count(json, "pipeline", r.degrees.pipeline);
  write_count(json, "virtual_pipeline", r.degrees.virtual_pipeline);
  write_count(json, "context", r.degrees.context);
  write_count(json, "expert", r.degrees.expert);
  write_count(json, "expert_tensor", r.degrees.expert_tensor);
  write_count(json, "data", r.degrees.data);
  write_count(json, "micro", r.batch.micro);
  write_count(json, "global", r.batch.global);
  write_count(json, "accumulation_steps", r.batch.accumulation_steps);
  write_count(json, "sequence_length", r.batch.sequence_length);
  write_count(json, "tokens_per_step", r.batch.tokens_per_step());
  json.key("hardware").string(run.part.hardware.name);
  write_estimate(json, run);
  json.key("verdict").string(to_string(run.analysis().verdict));
  json.end_object();
}

void write_result(JsonWriter& json, const Result& result) {
  json.begin_object().key("command").string(result.command).key("ok").boolean(result.ok);
  json.key("error");
  result.ok ? json.null() : json.string(result.error);
  write_changes(json, result);
  write_numbers(json, *result.after);
  const Analysis& before = result.before->analysis();
  const Analysis& after = result.after->analysis();
  write_findings(json, "findings", findings_missing_from(after.findings, {}), after);
  write_findings(json, "new", findings_missing_from(after.findings, before.findings), after);
  write_findings(json, "gone", findings_missing_from(before.findings, after.findings), before);
  json.key("goal");
  result.goal_after.empty() ? json.null() : json.string(result.goal_after);
  json.key("output");
  if (!result.inner.empty()) {
    json.begin_array();
    for (const Result& one : result.inner) write_result(json, one);
    json.end_array();
  } else if (result.json) {
    std::string text = result.json();
    while (text.ends_with('\n')) text.pop_back();
    json.raw(text);
  } else if (result.text) {
    json.string(result.text({}));
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace

std::string result_to_json(const Result& result) {
  JsonWriter json;
  write_result(json, result);
  return json.take();
}

}  // namespace primus_plan::session
