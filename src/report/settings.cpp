#include "primus_plan/report/settings.h"

#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/text.h"
#include "report/json_writer.h"

namespace primus_plan {

std::string settings_to_text(std::span<const SettingRow> rows) {
  std::size_t keys = 0;
  std::size_t values = 0;
  for (const SettingRow& row : rows) {
    keys = std::max(keys, display_width(escape_controls(row.key)));
    values = std::max(values, display_width(escape_controls(row.value)));
  }
  std::string out;
  for (const SettingRow& row : rows) {
    const std::string key = escape_controls(row.key);
    const std::string value = escape_controls(row.value);
    out += fmt::format("{}{:{}}  {}{:{}}  {}", key, "", keys - display_width(key), value, "",
                       values - display_width(value), escape_controls(row.origin));
    out += row.reason.empty() ? "\n" : fmt::format("  ({})\n", escape_controls(row.reason));
  }
  return out;
}

std::string settings_to_json(const std::string& path, std::span<const SettingRow> rows) {
  std::string out =
      fmt::format("{{\n  \"schema\": \"primus-plan/1\",\n  \"path\": {},\n  \"settings\": [", json_string(path));
  std::string_view separator = "\n    ";
  for (const SettingRow& row : rows) {
    out += fmt::format(R"({}{{"key": {}, "value": {}, "origin": {})", separator, json_string(row.key),
                       json_string(row.value), json_string(row.origin));
    if (!row.reason.empty()) out += fmt::format(R"(, "reason": {})", json_string(row.reason));
    out += '}';
    separator = ",\n    ";
  }
  return out + (rows.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace primus_plan
