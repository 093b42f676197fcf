#include "support/schema.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "support/paths.h"

namespace primus_plan::test {

std::string schema_faults(const nlohmann::json& value, const std::string& name) {
  return faults_by_schema(value, "schemas/" + name);
}

std::string faults_by_schema(const nlohmann::json& value, const std::string& path) {
  std::ifstream file(source_dir() / path);
  if (!file) throw std::runtime_error("no schema " + path);
  const nlohmann::json text = nlohmann::json::parse(file);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes)
      .validate(schema, valijson::adapters::NlohmannJsonAdapter(value), &results);
  std::string faults;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    for (const std::string& step : error.context) faults += step;
    faults += ": " + error.description + "\n";
  }
  return faults;
}

}  // namespace primus_plan::test
