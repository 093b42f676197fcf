#include <algorithm>
#include <vector>

#include "primus_plan/report/plan.h"
#include "report/json_parts.h"

namespace primus_plan {
namespace {

using Layout = JsonWriter::Layout;

void write_candidate(JsonWriter& json, const Candidate& c) {
  json.key("world_size").integer(c.world_size);
  json.key("tensor").integer(c.tensor).key("pipeline").integer(c.pipeline);
  json.key("virtual_pipeline").integer(c.chunks).key("context").integer(c.context);
  json.key("expert").integer(c.expert).key("expert_tensor").integer(c.expert_tensor);
  json.key("replicas").integer(c.replicas).key("micro_batch").integer(c.micro_batch);
  for (const PlanAxis axis : {PlanAxis::sharding, PlanAxis::schedule, PlanAxis::recompute}) {
    json.key(axis_names()[static_cast<std::size_t>(axis)].name).string(value_text(axis, value_on(c, axis)));
  }
  if (c.precision != PlanPrecision::as_given) {
    json.key("precision").string(value_text(PlanAxis::precision, static_cast<std::int64_t>(c.precision)));
  }
  if (c.recompute == RecomputeLevel::block) json.key("recompute_layers").integer(c.recompute_layers);
  if (c.split == StageSplit::ends) {
    json.key("first_layers").integer(c.first_layers).key("last_layers").integer(c.last_layers);
  }
  json.key("stages_by_layout").boolean(c.split == StageSplit::dealt);
}

void write_estimates(JsonWriter& json, const PlanPoint& point) {
  json.key("fit").string(word_of(point.fit));
  write_range(json, "memory_bytes", point.memory);
  json.key("step_seconds").begin_object(Layout::one_line);
  json.key("low").real(point.low_seconds).key("expected").real(point.seconds).key("high").real(point.high_seconds);
  json.end_object();
  json.key("tokens_per_second_per_gpu").real(point.tokens_per_second_per_gpu);
  json.key("bubble_share").real(point.bubble_share);
}

void write_plan(JsonWriter& json, const ProposedPlan& plan) {
  json.begin_object();
  json.key("candidate").begin_object(Layout::one_line);
  write_candidate(json, plan.point.candidate);
  json.end_object();
  json.key("data").integer(plan.run.degrees.data);
  json.key("expert_data").integer(plan.run.degrees.expert_data);
  json.key("accumulation_steps").integer(plan.run.batch.accumulation_steps);
  json.key("micro_batches").integer(plan.run.batch.micro_batches_between_flushes());
  write_estimates(json, plan.point);
  json.key("mfu").real(plan.estimate.counted_mfu());
  json.key("common_mfu").real(plan.estimate.step.mfu);
  json.key("step_parts_seconds").begin_object();
  for (std::size_t i = 0; i < time_parts; ++i) {
    if (plan.estimate.step.parts[i] > 0)
      json.key(to_string(static_cast<TimePart>(i))).real(plan.estimate.step.parts[i]);
  }
  json.end_object();
  json.key("crosses_nodes").begin_array(Layout::one_line);
  for (const std::string& group : plan.crossing) json.string(group);
  json.end_array();
  json.key("warnings").integer(static_cast<std::int64_t>(plan.warnings));
  json.key("changed_keys").integer(static_cast<std::int64_t>(plan.changes));
  json.key("overrides").begin_object();
  for (const auto& [key, value] : plan.overrides) json.key(key).string(value);
  json.end_object();
  json.end_object();
}

void write_plans(JsonWriter& json, std::string_view name, const std::vector<ProposedPlan>& plans) {
  json.key(name).begin_array();
  for (const ProposedPlan& plan : plans) write_plan(json, plan);
  json.end_array();
}

void write_request(JsonWriter& json, const PlanReport& report) {
  const PlanRequest& request = report.request;
  json.key("subject").string(report.subject);
  json.key("framework").string(report.framework);
  json.key("hardware").string(request.hardware.name);
  json.key("hardware_source").string(report.hardware_source);
  json.key("memory_bytes").real(request.hardware.memory_bytes);
  json.key("world_sizes").begin_array(Layout::one_line);
  for (const std::int64_t world : request.worlds) json.integer(world);
  json.end_array();
  json.key("gpus_per_node").integer(request.task.gpus_per_node);
  json.key("global_batch").integer(request.task.global_batch);
  json.key("global_batch_source").string(report.batch_source);
  json.key("sequence_length").integer(request.task.sequence_length);
  json.key("objective").string(to_string(request.objective));
}

void write_search(JsonWriter& json, const PlanResult& result) {
  json.key("search").begin_object();
  json.key("candidates").integer(static_cast<std::int64_t>(result.space));
  json.key("judged").integer(static_cast<std::int64_t>(result.judged));
  json.key("complete").boolean(result.complete);
  json.key("fitting").integer(static_cast<std::int64_t>(result.points.size()));
  json.key("layouts").integer(static_cast<std::int64_t>(result.layouts));
  json.key("too_large").integer(static_cast<std::int64_t>(result.rejections.too_large));
  json.key("not_judged").integer(static_cast<std::int64_t>(result.space - result.judged));
  std::vector<std::pair<std::string_view, std::size_t>> rules;
  rules.reserve(result.rejections.by_rule.size());
  for (const auto& [rule, count] : result.rejections.by_rule) rules.emplace_back(rule->id, count);
  std::sort(rules.begin(), rules.end());
  json.key("rejected_by_rule").begin_object();
  for (const auto& [rule, count] : rules) json.key(rule).integer(static_cast<std::int64_t>(count));
  json.end_object();
  json.end_object();
}

void write_sensitivity(JsonWriter& json, const PlanResult& result) {
  json.key("sensitivity").begin_array();
  for (const Neighbour& step : result.sensitivity) {
    json.begin_object(Layout::one_line);
    json.key("axis").string(axis_names()[static_cast<std::size_t>(step.axis)].name);
    json.key("from").string(value_text(step.axis, step.from)).key("to").string(value_text(step.axis, step.to));
    if (step.rejected_by != nullptr) {
      json.key("rejected_by").string(step.rejected_by->id);
    } else {
      write_estimates(json, step.point);
    }
    json.end_object();
  }
  json.end_array();
}

void write_present(JsonWriter& json, const PlanReport& report) {
  const PresentPlan& now = report.result.present;
  if (!report.is_file) return;
  json.key("present").begin_object();
  json.key("world_size").integer(now.run.launch.world_size);
  json.key("legal").boolean(now.is_legal);
  if (now.is_estimated && now.no_seconds.empty()) write_estimates(json, now.point);
  if (!now.no_seconds.empty()) {
    json.key("fit").string(word_of(now.point.fit));
    write_range(json, "memory_bytes", now.point.memory);
    json.key("step_time_unknown").string(now.no_seconds);
  }
  json.end_object();
}

}  // namespace

std::string plan_to_json(const PlanReport& report) {
  const PlanResult& result = report.result;
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("primus-plan/plan/1");
  write_request(json, report);
  write_search(json, result);
  write_present(json, report);
  json.key("notes").begin_array();
  for (const std::string& note : result.notes) json.string(note);
  json.end_array();
  write_plans(json, "plans", result.plans);
  write_plans(json, "front", result.front);
  json.key("reasons").begin_array();
  if (result.runner_up) {
    for (const std::string& sentence : compare_plans(result.plans.front(), *result.runner_up)) json.string(sentence);
  }
  json.end_array();
  write_sensitivity(json, result);
  json.key("layouts_as_fast_within_error").integer(static_cast<std::int64_t>(result.indistinguishable));
  if (result.points.empty()) json.key("no_plan").string(explain_no_plan(report));
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
