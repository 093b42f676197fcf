#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace primus_plan::test {

/// Why a value does not fit the schema schemas/`name`, a line for each fault; empty when it fits.
std::string schema_faults(const nlohmann::json& value, const std::string& name);

/// The same with a schema anywhere below the source tree.
std::string faults_by_schema(const nlohmann::json& value, const std::string& path);

}  // namespace primus_plan::test
