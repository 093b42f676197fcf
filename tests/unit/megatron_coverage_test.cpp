// Every rule of the Megatron catalogue is accounted for: a rule of ours, a derivation, or a reason why neither.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view not_covered = "not covered: ";
constexpr std::string_view informational = "informational: ";

/// What became of each catalogue rule, by its id; ids that several sections list are named.
struct Coverage {
  std::map<std::string, std::string> outcomes;
  std::vector<std::string> twice;
};

Coverage read_coverage() {
  Coverage out;
  for (const auto& file : fs::directory_iterator(test::source_dir() / "tests/data/megatron_coverage")) {
    std::ifstream stream(file.path());
    const nlohmann::json section = nlohmann::json::parse(stream);
    for (const auto& [id, outcome] : section.items()) {
      if (!out.outcomes.emplace(id, outcome.get<std::string>()).second) out.twice.push_back(id);
    }
  }
  return out;
}

/// The ids of "MG104, MG105".
std::vector<std::string> ids_of(const std::string& outcome) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < outcome.size();) {
    const std::size_t end = std::min(outcome.find(", ", at), outcome.size());
    out.push_back(outcome.substr(at, end - at));
    at = end + 2;
  }
  return out;
}

/// The section of a page under this heading of second level.
std::string section_of(const fs::path& page, const std::string& heading) {
  std::ifstream stream(page);
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (inside) out += line + '\n';
  }
  return out;
}

TEST(MegatronCoverage, EveryCatalogueRuleAppearsOnce) {
  const fs::path catalogue = test::oracle_dir().parent_path() / "rules/megatron.json";
  if (!fs::exists(catalogue)) GTEST_SKIP() << "no catalogue of Megatron's rules beside the oracle directory";
  std::ifstream stream(catalogue);
  std::set<std::string> ids;
  for (const auto& rule : nlohmann::json::parse(stream)) ids.insert(rule.at("id").get<std::string>());
  const Coverage coverage = read_coverage();
  EXPECT_EQ(coverage.twice, std::vector<std::string>{});
  for (const std::string& id : ids) EXPECT_TRUE(coverage.outcomes.contains(id)) << id << " is in no section";
  for (const auto& [id, outcome] : coverage.outcomes) EXPECT_TRUE(ids.contains(id)) << id << " is not in the catalogue";
}

TEST(MegatronCoverage, OutcomesAreRulesOrReasons) {
  std::set<std::string_view> rules;
  for (const RuleInfo* rule : all_rules()) rules.insert(rule->id);
  const Coverage coverage = read_coverage();
  EXPECT_FALSE(coverage.outcomes.empty());
  for (const auto& [id, outcome] : coverage.outcomes) {
    const std::string_view text = outcome;
    if (text.starts_with(not_covered) || text.starts_with(informational)) {
      EXPECT_GT(text.size(), text.find(": ") + 2) << id << " gives no reason";
    } else {
      for (const std::string& rule : ids_of(outcome)) {
        EXPECT_TRUE(rules.contains(rule)) << id << " names " << rule << ", which is no rule";
      }
    }
  }
}

TEST(MegatronCoverage, WhatIsNotCoveredIsDocumented) {
  std::istringstream page(section_of(test::source_dir() / "docs/rules-not-covered.md", "Megatron"));
  std::map<std::string, std::string> lines;
  for (std::string line; std::getline(page, line);) {
    const std::size_t id = line.find("MEG");
    if (id != std::string::npos) lines[line.substr(id, 6)] = line;
  }
  std::size_t count = 0;
  for (const auto& [id, outcome] : read_coverage().outcomes) {
    if (!outcome.starts_with(not_covered)) continue;
    ++count;
    ASSERT_TRUE(lines.contains(id)) << id << " is missing from docs/rules-not-covered.md";
    EXPECT_NE(lines[id].find(outcome.substr(not_covered.size())), std::string::npos)
        << "the page gives another reason for " << id << " than: " << outcome;
  }
  EXPECT_EQ(lines.size(), count) << "the page names rules that are covered";
}

}  // namespace
}  // namespace primus_plan
