// Primus's own parse_yaml on tricky documents: the same tree, or a refusal where Primus refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/base64.h"
#include "support/oracle.h"
#include "support/yaml.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool same(const Node& node, const json& expected);

bool same_list(const std::vector<NodePtr>& items, const json& expected) {
  return items.size() == expected.size() &&
         std::equal(items.begin(), items.end(), expected.begin(),
                    [](const NodePtr& item, const json& value) { return same(*item, value); });
}

bool same_mapping(const Node& node, const json& expected) {
  return node.is_mapping() && node.entries().size() == expected.size() &&
         std::equal(node.entries().begin(), node.entries().end(), expected.begin(),
                    [](const Entry& entry, const json& pair) {
                      return same(*entry.key, pair[0]) && same(*entry.value, pair[1]);
                    });
}

bool same_set(const Node& node, const json& expected) {
  return node.kind == Kind::set && node.items.size() == expected.size() &&
         std::all_of(expected.begin(), expected.end(), [&](const json& value) {
           return std::any_of(node.items.begin(), node.items.end(),
                              [&](const NodePtr& item) { return same(*item, value); });
         });
}

bool same_real(double value, const json& expected) {
  if (!expected.is_string()) return value == expected.get<double>();
  const auto word = expected.get<std::string>();
  if (word == "nan") return std::isnan(value);
  return std::isinf(value) && std::signbit(value) == (word == "-inf");
}

/// JSON numbers past 64 bits come as doubles; that they are exact is tested elsewhere.
bool same_integer(const Node& node, const json& expected) {
  if (node.kind == Kind::integer) return expected.is_number_integer() && expected == node.integer;
  if (node.kind != Kind::big_integer) return false;
  return expected.is_number_unsigned() ? node.text == std::to_string(expected.get<std::uint64_t>())
                                       : std::stod(node.text) == expected.get<double>();
}

std::string to_hex(const std::string& bytes) {
  std::string result;
  for (const char c : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    result += digits[static_cast<unsigned char>(c) >> 4U];
    result += digits[static_cast<unsigned char>(c) & 15U];
  }
  return result;
}

bool same(const Node& node, const json& expected) {
  const auto type = expected["type"].get<std::string>();
  const json& value = expected["value"];
  if (type == "None") return node.is_null();
  if (type == "bool") return node.kind == Kind::boolean && node.boolean == value.get<bool>();
  if (type == "int") return same_integer(node, value);
  if (type == "float") return node.kind == Kind::real && same_real(node.real, value);
  if (type == "str") return node.is_string() && node.text == value.get<std::string>();
  if (type == "date") return node.kind == Kind::date && node.text == value.get<std::string>();
  if (type == "datetime") return node.kind == Kind::datetime && node.text == value.get<std::string>();
  if (type == "bytes") return node.kind == Kind::bytes && to_hex(node.text) == value.get<std::string>();
  if (type == "list") return node.is_sequence() && same_list(node.items, value);
  if (type == "tuple") return node.kind == Kind::tuple && same_list(node.items, value);
  if (type == "set") return same_set(node, value);
  return type == "dict" && same_mapping(node, value);
}

std::string content(const json& file) {
  if (file.is_string()) return file.get<std::string>();
  return decode_base64(file["b64"].get<std::string>()).value();
}

/// What differs; empty when nothing does.
std::string disagreement(const json& example) {
  MemoryFiles files;
  for (const auto& [name, file] : example["files"].items()) files.put(name, content(file));
  Environment environment;
  for (const auto& [name, value] : example["env"].items()) environment.set(name, value.get<std::string>());
  const bool refused = !example["error"].is_null();
  try {
    const Document document = load_document(example["main"].get<std::string>(), Layer::experiment, files, environment);
    if (refused) return "accepted as " + to_text(*document.root) + ", but Primus refuses: " + example["error"].dump();
    if (!same(*document.root, example["result"])) {
      return "read as " + to_text(*document.root) + ", but Primus reads " + example["result"].dump();
    }
  } catch (const LoadError& error) {
    if (!refused) return std::string("refused, but Primus accepts: ") + error.what();
    if (!error.finding().primary.origin) return "refused without a place";
  }
  return "";
}

TEST(YamlSemantics, AgreesWithPrimus) {
  const auto oracle = testing::load_oracle("yaml_semantics.json");
  if (!oracle) GTEST_SKIP() << testing::missing_oracle("yaml_semantics.json");
  std::size_t compared = 0;
  for (const json& example : (*oracle)["cases"]) {
    ++compared;
    EXPECT_EQ(disagreement(example), "") << example["name"];
  }
  EXPECT_GT(compared, 100U);
}

}  // namespace
}  // namespace primus_plan::test
