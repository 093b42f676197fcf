#include <fmt/core.h>

#include "primus_plan/report/sweep.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/json_parts.h"
#include "report/node_json.h"

namespace primus_plan {
namespace {

std::vector<std::string> rule_ids(const Sweep& sweep, const SweepPoint& point) {
  std::vector<std::string> out;
  for (const SweepReason& reason : sweep.legend) {
    if (reason.letter != point.letter) continue;
    for (const RuleInfo* rule : reason.rules) out.emplace_back(rule->id);
    break;
  }
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_count(std::int64_t value) { return value > 0 ? fmt::format("{}", value) : std::string(); }
std::string csv_real(double value, int digits) { return value > 0 ? fmt::format("{:.{}f}", value, digits) : ""; }

std::vector<std::string> csv_row(const Sweep& sweep, const SweepPoint& point) {
  std::vector<std::string> out;
  for (const NodePtr& value : point.values) out.push_back(csv_cell(to_text(*value)));
  const RunDescription& run = point.trial.analysis.run;
  const Estimate nothing;
  const Estimate& estimate = point.trial.estimate ? *point.trial.estimate : nothing;
  const MemoryRange& memory = estimate.memory.device;
  const bool timed = estimate.step.seconds > 0;
  out.insert(out.end(),
             {csv_count(run.launch.world_size), csv_count(run.degrees.data), csv_count(run.batch.accumulation_steps),
              csv_count(run.batch.tokens_per_step()), csv_real(memory.low / gib, 2), csv_real(memory.expected / gib, 2),
              csv_real(memory.high / gib, 2), estimate.fit ? std::string(word_of(*estimate.fit)) : "",
              csv_real(estimate.step.tokens_per_second_per_gpu, 1), csv_real(estimate.step.seconds, 4),
              timed ? fmt::format("{:.4f}", estimate.step.bubble_share) : "", point.letter == 0 ? "true" : "false",
              join(rule_ids(sweep, point), " ")});
  return out;
}

void write_point(JsonWriter& json, const Sweep& sweep, const SweepPoint& point) {
  json.begin_object(JsonWriter::Layout::one_line).key("values").begin_object(JsonWriter::Layout::one_line);
  for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
    json.key(sweep.axes[i].name);
    write_node(json, *point.values[i]);
  }
  json.end_object().key("legal").boolean(point.letter == 0);
  json.key("rules").begin_array(JsonWriter::Layout::one_line);
  for (const std::string& id : rule_ids(sweep, point)) json.string(id);
  json.end_array();
  const RunDescription& run = point.trial.analysis.run;
  write_count(json, "world_size", run.launch.world_size);
  write_count(json, "dp", run.degrees.data);
  write_count(json, "accumulation_steps", run.batch.accumulation_steps);
  write_count(json, "tokens_per_step", run.batch.tokens_per_step());
  if (point.trial.estimate) {
    const Estimate& estimate = *point.trial.estimate;
    json.key("memory_bytes").begin_object(JsonWriter::Layout::one_line);
    write_real(json, "low", estimate.memory.device.low);
    write_real(json, "expected", estimate.memory.device.expected);
    write_real(json, "high", estimate.memory.device.high);
    json.end_object().key("fit");
    estimate.fit ? json.string(word_of(*estimate.fit)) : json.null();
    write_real(json, "tokens_per_second_per_gpu", estimate.step.tokens_per_second_per_gpu);
    write_real(json, "step_seconds", estimate.step.seconds);
    json.key("bubble_share");
    estimate.step.seconds > 0 ? json.real(estimate.step.bubble_share) : json.null();
  }
  json.end_object();
}

}  // namespace

std::string sweep_to_csv(const SweepReport& report) {
  std::string text;
  for (const SweepAxis& axis : report.sweep.axes) text += csv_cell(axis.name) + ",";
  text +=
      "world_size,dp,accumulation_steps,tokens_per_step,memory_gib_low,memory_gib,memory_gib_high,fit,"
      "tokens_per_second_per_gpu,step_seconds,bubble_share,legal,rules\n";
  for (const SweepPoint& point : report.sweep.points) text += join(csv_row(report.sweep, point), ",") + "\n";
  return text;
}

std::string sweep_to_json(const SweepReport& report) {
  JsonWriter json;
  const Sweep& sweep = report.sweep;
  json.begin_object();
  json.key("path").string(report.base.path).key("module").string(report.base.module);
  json.key("framework").string(report.base.framework).key("hardware");
  sweep.hardware != nullptr ? json.string(sweep.hardware->name) : json.null();
  json.key("axes").begin_array(JsonWriter::Layout::one_line);
  for (const SweepAxis& axis : sweep.axes) json.string(axis.name);
  json.end_array().key("complete").boolean(sweep.complete).key("points").begin_array();
  for (const SweepPoint& point : sweep.points) write_point(json, sweep, point);
  json.end_array().key("legend").begin_array();
  for (const SweepReason& reason : sweep.legend) {
    json.begin_object(JsonWriter::Layout::one_line).key("letter").string(std::string(1, reason.letter));
    json.key("rules").begin_array(JsonWriter::Layout::one_line);
    for (const RuleInfo* rule : reason.rules) json.string(rule->id);
    json.end_array().key("message").string(reason.message);
    json.key("points").integer(static_cast<std::int64_t>(reason.points)).end_object();
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& note : sweep.notes) json.string(note);
  json.end_array().end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
