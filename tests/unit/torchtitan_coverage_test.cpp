// Which rules stand for which entries of the catalogue of TorchTitan's faults.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "primus_plan/backends/backend.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

using nlohmann::json;

json coverage() {
  std::ifstream stream(test::source_dir() / "tests" / "data" / "torchtitan_coverage.json");
  return json::parse(stream);
}

std::set<std::string> rule_ids() {
  std::set<std::string> out;
  for (const RuleInfo* rule : all_rules()) out.emplace(rule->id);
  return out;
}

/// "TT101, TT821" as its parts; empty for an explanation.
std::vector<std::string> named_rules(const std::string& entry) {
  std::vector<std::string> out;
  if (entry.find(':') != std::string::npos) return out;
  std::istringstream words(entry);
  for (std::string word; std::getline(words, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    out.push_back(word);
  }
  return out;
}

TEST(TorchTitanCoverage, EveryEntryOfTheCatalogueIsAccountedFor) {
  const auto path = test::oracle_dir().parent_path() / "rules" / "torchtitan.md";
  std::ifstream catalogue(path);
  if (!catalogue) GTEST_SKIP() << "no catalogue at " << path << " (set PRIMUS_PLAN_ORACLE_DIR)";
  const json table = coverage();
  std::size_t entries = 0;
  for (std::string line; std::getline(catalogue, line);) {
    if (!line.starts_with("### TT")) continue;
    const std::string id = line.substr(4, line.find(' ', 4) - 4);
    EXPECT_TRUE(table.contains(id)) << line;
    ++entries;
  }
  EXPECT_EQ(entries, table.size());
}

TEST(TorchTitanCoverage, NamesOnlyRulesThatExist) {
  const auto known = rule_ids();
  const json table = coverage();
  for (const auto& [id, entry] : table.items()) {
    const std::string text = entry;
    const bool explained = text.starts_with("informational: ") || text.starts_with("not covered: ");
    const auto rules = named_rules(text);
    EXPECT_TRUE(explained || !rules.empty()) << id << ": " << text;
    for (const std::string& rule : rules) EXPECT_TRUE(known.contains(rule)) << id << " names " << rule;
  }
}

TEST(TorchTitanCoverage, DocumentGivesTheReasonForWhatIsNotCovered) {
  std::ifstream stream(test::source_dir() / "docs" / "rules-not-covered.md");
  std::ostringstream text;
  text << stream.rdbuf();
  const json table = coverage();
  for (const auto& [id, entry] : table.items()) {
    const std::string reason = entry;
    constexpr std::string_view prefix = "not covered: ";
    if (!reason.starts_with(prefix)) continue;
    EXPECT_NE(text.str().find(reason.substr(prefix.size())), std::string::npos) << id;
  }
}

}  // namespace
}  // namespace primus_plan
