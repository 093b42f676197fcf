// Which rules stand for which entries of the catalogue of MaxText's faults.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

using nlohmann::json;

constexpr std::string_view not_covered = "not covered: ";
constexpr std::string_view informational = "informational: ";

json coverage() {
  std::ifstream stream(test::source_dir() / "tests" / "data" / "maxtext_coverage.json");
  return json::parse(stream);
}

TEST(MaxTextCoverage, IsTheCatalogueEntryByEntry) {
  const auto path = test::oracle_dir().parent_path() / "rules" / "maxtext.md";
  std::ifstream catalogue(path);
  if (!catalogue) GTEST_SKIP() << "no catalogue at " << path << " (set PRIMUS_PLAN_ORACLE_DIR)";
  std::set<std::string> expected;
  for (std::string line; std::getline(catalogue, line);) {
    if (line.starts_with("### MXT")) expected.insert(line.substr(4, line.find(' ', 4) - 4));
  }
  const json table = coverage();
  std::set<std::string> found;
  for (const auto& [id, entry] : table.items()) found.insert(id);
  EXPECT_EQ(found, expected);
}

TEST(MaxTextCoverage, NamesOnlyRulesThatExist) {
  std::set<std::string> known;
  for (const RuleInfo* rule : all_rules()) known.emplace(rule->id);
  const json table = coverage();
  for (const auto& [id, entry] : table.items()) {
    const std::string text = entry;
    if (text.starts_with(not_covered) || text.starts_with(informational)) continue;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
      word.erase(0, word.find_first_not_of(' '));
      EXPECT_TRUE(known.contains(word)) << id << " names " << word;
    }
  }
}

TEST(MaxTextCoverage, TheDocumentGivesTheReasons) {
  std::ifstream stream(test::source_dir() / "docs" / "rules-not-covered.md");
  std::ostringstream text;
  text << stream.rdbuf();
  const json table = coverage();
  for (const auto& [id, entry] : table.items()) {
    const std::string reason = entry;
    if (!reason.starts_with(not_covered)) continue;
    EXPECT_NE(text.str().find("| " + id + " |"), std::string::npos) << id;
    EXPECT_NE(text.str().find(reason.substr(not_covered.size())), std::string::npos) << id;
  }
}

}  // namespace
}  // namespace primus_plan
