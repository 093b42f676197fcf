#include "report/change_json.h"

#include "report/json_parts.h"

namespace primus_plan {

void write_number_changes(JsonWriter& json, const RunDescription& before, const RunDescription& after) {
  for (const RunNumber& row : run_numbers()) {
    const std::int64_t was = row.value(before);
    const std::int64_t is = row.value(after);
    if (was == is) continue;
    json.begin_object(JsonWriter::Layout::one_line).key("name").string(row.name);
    write_count(json, "before", was);
    write_count(json, "after", is);
    json.end_object();
  }
}

void write_estimate_change(JsonWriter& json, const EstimateDifference& row) {
  json.begin_object(JsonWriter::Layout::one_line).key("name").string(row.name).key("unit").string(row.unit);
  write_known(json, "before", row.before);
  write_known(json, "after", row.after);
  json.end_object();
}

void write_findings(JsonWriter& json, std::string_view key, const std::vector<const Finding*>& findings,
                    const Analysis& analysis) {
  json.key(key).begin_array();
  for (const Finding* finding : findings) write_finding(json, *finding, analysis.origin, analysis.path);
  json.end_array();
}

}  // namespace primus_plan
