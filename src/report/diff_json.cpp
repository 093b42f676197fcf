#include "primus_plan/report/diff.h"
#include "report/change_json.h"
#include "report/json_parts.h"

namespace primus_plan {
namespace {

constexpr auto one_line = JsonWriter::Layout::one_line;

void write_text(JsonWriter& json, std::string_view key, const std::string& value) {
  json.key(key);
  value.empty() ? json.null() : json.string(value);
}

void write_numbers(JsonWriter& json, const Comparison& comparison) {
  json.key("numbers").begin_array();
  for (const NumberDifference& number : comparison.numbers) {
    json.begin_object(one_line).key("name").string(number.name);
    write_count(json, "a", number.before);
    write_count(json, "b", number.after);
    json.key("differs").boolean(number.differs).key("trains").boolean(number.trains).end_object();
  }
  json.end_array().key("estimates").begin_array();
  for (const EstimateDifference& estimate : comparison.estimates) {
    json.begin_object(one_line).key("name").string(estimate.name).key("unit").string(estimate.unit);
    write_known(json, "a", estimate.before);
    write_known(json, "b", estimate.after);
    json.end_object();
  }
  json.end_array();
}

void write_values(JsonWriter& json, const Comparison& comparison) {
  json.key("values").begin_array();
  for (const ValueDifference& value : comparison.values) {
    json.begin_object(one_line).key("key").string(value.key);
    write_text(json, "a", value.before);
    write_text(json, "b", value.after);
    json.key("effect").string(to_string(value.effect)).end_object();
  }
  json.end_array().key("groups").begin_array();
  for (const GroupDifference& group : comparison.groups) {
    json.begin_object(one_line).key("name").string(group.name);
    json.key("size_a").integer(group.size_before).key("size_b").integer(group.size_after);
    json.key("across_nodes_a").integer(group.crossing_before).key("across_nodes_b").integer(group.crossing_after);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string diff_to_json(const DiffReport& report) {
  const Comparison& comparison = report.comparison;
  JsonWriter json;
  json.begin_object().key("a").string(report.before_name).key("b").string(report.after_name);
  json.key("module").string(report.after.module).key("hardware").string(report.hardware);
  json.key("world_size_assumed_a").boolean(report.before.run.launch.assumed);
  json.key("world_size_assumed_b").boolean(report.after.run.launch.assumed);
  json.key("same").boolean(comparison.is_same()).key("trains_the_same").boolean(comparison.trains_the_same);
  write_numbers(json, comparison);
  write_lines(json, "not_counted_a", uncounted(report.before));
  write_lines(json, "not_counted_b", uncounted(report.after));
  write_values(json, comparison);
  json.key("checkpoint").begin_object().key("loads").string(to_string(comparison.checkpoint.resumes));
  json.key("reasons").begin_array();
  for (const std::string& reason : comparison.checkpoint.reasons) json.string(reason);
  json.end_array().end_object();
  write_findings(json, "new", comparison.fresh, report.after);
  write_findings(json, "gone", comparison.gone, report.before);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
