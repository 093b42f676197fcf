#include "primus_plan/report/advise.h"
#include "report/json_parts.h"
#include "report/node_json.h"

namespace primus_plan {
namespace {

void write_top(JsonWriter& json, const TopChange& change) {
  const Estimate& estimate = *change.trial.estimate;
  json.begin_object().key("what").string(change.what).key("changes").begin_object();
  for (const KeyValue& value : change.trial.changes) {
    json.key(value.key);
    write_node(json, *value.value);
  }
  json.end_object().key("gain").real(change.gain);
  json.key("tokens_per_second_per_gpu").real(estimate.step.tokens_per_second_per_gpu);
  json.key("memory_bytes").real(estimate.memory.device.expected).key("fit");
  estimate.fit ? json.string(word_of(*estimate.fit)) : json.null();
  json.end_object();
}

}  // namespace

std::string advice_to_json(const AdviceReport& report) {
  const Advice& advice = report.advice;
  JsonWriter json;
  json.begin_object().key("path").string(report.analysis.path).key("module").string(report.analysis.module);
  json.key("framework").string(report.analysis.framework).key("hardware").string(report.hardware);
  const Footprint& footprint = advice.footprint;
  json.key("footprint").begin_object(JsonWriter::Layout::one_line).key("home").string(to_string(footprint.home));
  json.key("gpus").integer(footprint.gpus).key("tensor").integer(footprint.degrees.tensor);
  json.key("pipeline").integer(footprint.degrees.pipeline).key("expert").integer(footprint.degrees.expert);
  json.key("memory_bytes").real(footprint.memory_bytes).key("one_gpu_bytes").real(footprint.one_gpu_bytes);
  json.end_object();
  write_lines(json, "not_counted", advice.not_counted);
  write_lines(json, "standing", advice.standing);
  json.key("goals").begin_array();
  for (const GoalAdvice& goal : advice.goals) {
    json.begin_object().key("goal").string(goal.goal);
    write_lines(json, "lines", goal.lines);
    json.end_object();
  }
  json.end_array();
  write_lines(json, "learning_rate", advice.learning_rate);
  json.key("top").begin_array();
  for (const TopChange& change : advice.top) write_top(json, change);
  json.end_array().key("tried").integer(static_cast<std::int64_t>(advice.tried)).end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
