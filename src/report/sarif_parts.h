#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/report/report.h"
#include "report/json_writer.h"
#include "report/repository.h"

namespace primus_plan {

/// A finding with what it needs to become a SARIF result.
struct SarifResult {
  const Finding& finding;
  Origin fallback;          ///< the module's place
  const std::string& file;  ///< the experiment
  std::string_view module;  ///< empty for findings of loading
  std::string fingerprint;
};

/// A `result` object (SARIF 2.1.0, section 3.27).
void write_sarif_result(JsonWriter& json, const SarifResult& result, const Repository& repository);

/// A `tool` object (section 3.18) whose driver describes these rules.
void write_sarif_tool(JsonWriter& json, const ToolInfo& tool, const std::vector<const RuleInfo*>& rules);

/// A path as the `uri` of an artifact location (RFC 3986): relative paths stay relative, absolute ones begin with
/// "file://".
std::string path_to_uri(std::string_view path);

}  // namespace primus_plan
