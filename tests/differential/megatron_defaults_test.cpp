// The field table's defaults against every default of Megatron's own argument parser.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/megatron/fields.h"
#include "support/oracle.h"

namespace primus_plan {
namespace {

/// The default of a field as JSON, where its table has one: Raw fields keep theirs in the code that reads them.
nlohmann::json as_json(const Literal& value) {
  switch (value.type) {
    case Literal::Type::null:
      return nullptr;
    case Literal::Type::boolean:
      return value.integer != 0;
    case Literal::Type::integer:
      return value.integer;
    case Literal::Type::real:
      return value.real;
    case Literal::Type::text:
      return std::string(value.text);
  }
  return nullptr;
}

bool same(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number() && b.is_number()) return a.get<double>() == b.get<double>();
  return a == b;
}

TEST(MegatronDefaults, FieldTableAgreesWithTheArgumentParser) {
  const auto oracle = testing::load_oracle("megatron_defaults.json");
  if (!oracle) GTEST_SKIP() << testing::missing_oracle("megatron_defaults.json");
  const nlohmann::json& defaults = oracle->at("defaults");
  std::size_t compared = 0;
  for (const Field<megatron::MegatronConfig>& field : megatron::fields()) {
    const auto found = defaults.find(field.name);
    const bool is_raw = std::holds_alternative<Raw megatron::MegatronConfig::*>(field.member);
    if (found == defaults.end() || is_raw || found->is_object()) continue;
    const bool is_flag = std::holds_alternative<Flag megatron::MegatronConfig::*>(field.member);
    const nlohmann::json expected =
        is_flag && found->is_null() ? nlohmann::json(false) : *found;  // None is false for a flag
    EXPECT_TRUE(same(as_json(field.default_value), expected))
        << field.name << ": table " << as_json(field.default_value) << ", Megatron " << *found;
    ++compared;
  }
  EXPECT_GT(compared, 200U);
}

}  // namespace
}  // namespace primus_plan
