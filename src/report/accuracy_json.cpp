#include "primus_plan/report/accuracy.h"
#include "report/json_writer.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

std::int64_t as_integer(std::size_t n) { return static_cast<std::int64_t>(n); }

void write_section(JsonWriter& json, std::string_view name, const AccuracySection& section) {
  json.key(name).begin_array();
  for (const AccuracyGroup& group : section.groups) {
    const ErrorStatistics& e = group.errors;
    json.begin_object(Layout::one_line);
    json.key("group").string(group.name).key("rows").integer(as_integer(e.count));
    json.key("median").real(e.median).key("ninth_tenth").real(e.ninth_tenth).key("worst").real(e.worst);
    json.key("bias").real(e.bias).key("inside").integer(as_integer(group.inside));
    json.end_object();
  }
  json.end_array();
}

void write_rankings(JsonWriter& json, const Accuracy& accuracy) {
  json.key("rankings").begin_array();
  for (const ModelRanking& r : accuracy.rankings) {
    json.begin_object(Layout::one_line);
    json.key("model").string(r.model).key("rows").integer(as_integer(r.rows)).key("correlation").real(r.correlation);
    json.end_object();
  }
  json.end_array();
}

void write_comparisons(JsonWriter& json, const Accuracy& accuracy) {
  json.key("comparisons").begin_array();
  for (const Comparison& c : accuracy.comparisons) {
    json.begin_object(Layout::one_line);
    json.key("id").string(accuracy.rows[c.row].id).key("figure").string(to_string(c.figure));
    json.key("measured").real(c.measured).key("low").real(c.low).key("expected").real(c.expected);
    json.key("high").real(c.high).key("error").real(c.error()).key("inside").boolean(c.is_inside());
    json.end_object();
  }
  json.end_array();
  json.key("left_out").begin_array();
  for (const LeftOut& left : accuracy.left_out) {
    json.begin_object(Layout::one_line);
    json.key("id").string(accuracy.rows[left.row].id).key("figure").string(to_string(left.figure));
    json.key("reason").string(left.reason);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string accuracy_to_json(const Accuracy& accuracy, const std::string& table) {
  JsonWriter json;
  json.begin_object();
  json.key("table").string(table);
  json.key("rows").integer(as_integer(accuracy.rows.size()));
  write_section(json, "memory", accuracy.memory);
  write_section(json, "step", accuracy.step);
  write_section(json, "step_by_part", accuracy.hardware);
  write_section(json, "step_by_framework", accuracy.framework);
  write_rankings(json, accuracy);
  write_comparisons(json, accuracy);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
