// The key catalogues: their form, and that the tables of the code say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "backends/common/choices.h"
#include "backends/common/concepts.h"
#include "backends/maxtext/fields.h"
#include "backends/megatron/fields.h"
#include "backends/torchtitan/fields.h"
#include "config/key_names.h"
#include "primus_plan/config/embedded.h"
#include "primus_plan/report/explain_key.h"
#include "primus_plan/report/keys.h"

namespace primus_plan {
namespace {

using Json = nlohmann::json;

const CatalogueKey* find(std::string_view owner, std::string_view name) {
  const auto& keys = key_catalogue();
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const CatalogueKey& key) { return key.owner == owner && key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

TEST(KeyCatalogue, HoldsOneKeyALine) {
  ASSERT_EQ(embedded_keys().size(), 4U);
  for (const EmbeddedFile& file : embedded_keys()) {
    const std::size_t keys = Json::parse(file.text).at("keys").size();
    const auto lines = static_cast<std::size_t>(std::count(file.text.begin(), file.text.end(), '\n'));
    EXPECT_EQ(lines, keys + 7) << file.path;
  }
}

TEST(KeyCatalogue, AndTheTablesOfNamesAreTheSame) {
  const std::map<std::string, std::span<const KeyName>> tables = {{"megatron", megatron_key_names()},
                                                                  {"torchtitan", torchtitan_key_names()},
                                                                  {"maxtext", maxtext_key_names()},
                                                                  {"primus", primus_key_names()}};
  constexpr std::string_view types[] = {"any", "boolean", "integer", "number", "text", "list", "mapping", "computed"};
  std::map<std::string, std::size_t> counts;
  for (const CatalogueKey& key : key_catalogue()) {
    ++counts[key.owner];
    const KeyName* name = find_key_name(tables.at(key.owner), key.name);
    ASSERT_NE(name, nullptr) << key.name;
    EXPECT_EQ(types[static_cast<std::size_t>(name->type)], key.type) << key.name;
    EXPECT_EQ(name->nullable, key.nullable) << key.name;
    EXPECT_EQ(name->is_read, key.status != "unread") << key.name;
    std::string choices;
    for (const std::string& choice : key.choices) {
      const Json value = Json::parse(choice);
      choices += (choices.empty() && &choice == &key.choices.front() ? "" : "|") +
                 (value.is_string() ? value.get<std::string>() : choice);
    }
    EXPECT_EQ(name->choices, choices) << key.name;
    if (key.owner == "primus") {
      EXPECT_EQ(name->backend, key.backend) << key.name;
    }
  }
  for (const auto& [owner, table] : tables) EXPECT_EQ(table.size(), counts[owner]) << owner;
}

TEST(KeyCatalogue, SaysWhatTheKeysAreThatMatter) {
  std::size_t sentences = 0;
  for (const CatalogueKey& key : key_catalogue()) {
    if (key.about.empty()) continue;
    ++sentences;
    EXPECT_TRUE(key.about.ends_with('.')) << key.name;
    EXPECT_LE(key.about.size(), 160U) << key.name;
  }
  EXPECT_GE(sentences, 250U);
}

TEST(KeyCatalogue, NamesKeysThatAreReadInThePlaceOfOthers) {
  for (const CatalogueKey& key : key_catalogue()) {
    if (key.instead.empty()) continue;
    EXPECT_NE(find_read_key(key.backend, key.instead), nullptr) << key.name;
  }
}

bool same_number(const Json& a, const Json& b) {
  return a.is_number() && b.is_number() && a.get<double>() == b.get<double>();
}

Json as_json(const Literal& value) {
  switch (value.type) {
    case Literal::Type::null:
      break;
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

/// Fields of a backend against its catalogue and Primus's: each has a line; defaults are the same.
template <class Config>
std::size_t compare_fields(std::span<const Field<Config>> fields, std::string_view owner) {
  std::size_t compared = 0;
  for (const Field<Config>& field : fields) {
    const CatalogueKey* key = find(owner, field.name);
    if (key == nullptr) key = find("primus", field.name);
    EXPECT_NE(key, nullptr) << field.name << " stands in no catalogue";
    if (key == nullptr || key->default_value.empty() || std::holds_alternative<Raw Config::*>(field.member)) continue;
    ++compared;
    const Json ours = as_json(field.default_value);
    const Json theirs = Json::parse(key->default_value);
    const bool is_flag_off = theirs.is_null() && ours == false;  // None is false for a flag
    EXPECT_TRUE(ours == theirs || same_number(ours, theirs) || is_flag_off)
        << field.name << ": field " << ours << ", catalogue " << theirs;
  }
  return compared;
}

TEST(KeyCatalogue, AgreesWithTheFieldTables) {
  EXPECT_GT(compare_fields(megatron::fields(), "megatron"), 200U);
  EXPECT_GT(compare_fields(torchtitan::fields(), "torchtitan"), 100U);
  EXPECT_GT(compare_fields(maxtext::fields(), "maxtext"), 150U);
}

TEST(KeyCatalogue, ConceptsNameRealKeys) {
  for (const Concept& thing : concepts()) {
    const std::pair<std::string_view, const LocalName*> columns[] = {
        {"megatron", &thing.megatron}, {"torchtitan", &thing.torchtitan}, {"maxtext", &thing.maxtext}};
    for (const auto& [framework, name] : columns) {
      const bool is_known = name->key.empty() || find_read_key(framework, name->key) != nullptr ||
                            has_section(framework_key_names(framework), name->key) || name->key == "model.hidden_dim";
      EXPECT_TRUE(is_known) << framework << ": " << name->key;
    }
  }
}

TEST(KeyCatalogue, IsSearchedByPartsAndPatterns) {
  const auto names = [](const std::vector<const CatalogueKey*>& keys) {
    std::set<std::string> out;
    for (const CatalogueKey* key : keys) out.insert(key->name);
    return out;
  };
  EXPECT_THAT(names(find_keys("megatron", "tensor_model_parallel")),
              testing::IsSupersetOf({"tensor_model_parallel_size", "encoder_tensor_model_parallel_size"}));
  EXPECT_THAT(names(find_keys("torchtitan", "training.*size")),
              testing::ElementsAre("training.global_batch_size", "training.local_batch_size"));
  EXPECT_THAT(names(find_keys("maxtext", "ici_?ata_parallelism")), testing::ElementsAre("ici_data_parallelism"));
  EXPECT_TRUE(find_keys("maxtext", "ffn_hidden").empty());
}

TEST(ExplainKey, TellsTypeDefaultsNamesElsewhereAndRules) {
  const std::string page = explain_key("tensor_model_parallel_size", "text", {}).value_or("");
  for (const char* part :
       {"Megatron-LM", "integer", "parallelism.tensor_parallel_degree", "ici_tensor_parallelism", "MG1"}) {
    EXPECT_THAT(page, testing::HasSubstr(part));
  }
  EXPECT_THAT(explain_key("moe_extended_tp", "text", {}).value_or(""),
              testing::HasSubstr("expert_tensor_parallel_size"));
  EXPECT_THAT(explain_key("seq_len", "markdown", {}).value_or(""), testing::HasSubstr("`training.seq_len`"));
  EXPECT_FALSE(explain_key("no_such_key", "text", {}).has_value());
  EXPECT_THAT(nearest_catalogue_keys("tensor_model_parallel_sze"), testing::StartsWith("tensor_model_parallel_size"));
  const Json json = Json::parse(explain_key("micro_batch_size", "json", {}).value_or("null"));
  EXPECT_EQ(json.at(0).at("key").at("type"), "integer");
}

}  // namespace
}  // namespace primus_plan
