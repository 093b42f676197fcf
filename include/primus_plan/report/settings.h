#pragma once

#include <span>
#include <string>

namespace primus_plan {

/// One setting that holds, and who says so.
struct SettingRow {
  std::string key;
  std::string value;
  std::string origin;  ///< "file:line:column", a flag, a variable, or "default"
  std::string reason;  ///< of what is ignored; may be empty
};

/// A table with a line for each setting.
std::string settings_to_text(std::span<const SettingRow> rows);
/// {"schema": "primus-plan/1", "path", "settings": [{"key", "value", "origin", "reason"}]}.
std::string settings_to_json(const std::string& path, std::span<const SettingRow> rows);

}  // namespace primus_plan
