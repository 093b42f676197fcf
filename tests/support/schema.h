#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace primus_plan::test {

/// Why a value does not fit the schema schemas/`name`, a line for each fault; empty when it fits.
std::string schema_faults(const nlohmann::json& value, const std::string& name);

}  // namespace primus_plan::test
