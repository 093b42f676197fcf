// The table of known keys against the key lists of the frameworks and of Primus's own schema check.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "backends/megatron/fields.h"
#include "backends/megatron/known_keys.h"
#include "support/paths.h"

namespace primus_plan::megatron {
namespace {

/// A key list beside the oracle directory; null when it is not there.
nlohmann::json key_list(const char* file) {
  std::ifstream stream(test::oracle_dir().parent_path() / "facts/keys" / file);
  return stream ? nlohmann::json::parse(stream) : nlohmann::json();
}

TEST(MegatronKeys, EveryKeyThatIsReadIsKnown) {
  const nlohmann::json megatron = key_list("megatron.json");
  const nlohmann::json primus = key_list("primus_extensions.json");
  if (megatron.is_null() || primus.is_null()) GTEST_SKIP() << "no key lists beside the oracle directory";
  for (const auto& [name, key] : megatron.at("keys").items()) EXPECT_NE(find_known_key(name), nullptr) << name;
  const nlohmann::json& own = primus.at("backends").at("megatron");
  for (const char* list : {"extension_keys", "primus_only_in_use"}) {
    for (const auto& name : own.at(list)) EXPECT_NE(find_known_key(name.get<std::string>()), nullptr) << name;
  }
}

TEST(MegatronKeys, OurFieldsAreKnownOrReportedAsUnknown) {
  const nlohmann::json primus = key_list("primus_extensions.json");
  if (primus.is_null()) GTEST_SKIP() << "no key lists beside the oracle directory";
  std::set<std::string> reported;
  for (const auto& key : primus.at("backends").at("megatron").at("unknown")) reported.insert(key.at("key"));
  for (const Field<MegatronConfig>& field : fields()) {
    EXPECT_TRUE(find_known_key(field.name) != nullptr || reported.contains(field.name)) << field.name;
  }
}

TEST(MegatronKeys, WhatPrimusReportsAsUnknownIsUnknown) {
  const nlohmann::json primus = key_list("primus_extensions.json");
  if (primus.is_null()) GTEST_SKIP() << "no key lists beside the oracle directory";
  for (const auto& key : primus.at("backends").at("megatron").at("unknown")) {
    EXPECT_EQ(find_known_key(key.at("key").get<std::string>()), nullptr) << key.at("key");
  }
}

}  // namespace
}  // namespace primus_plan::megatron
