#include "primus_plan/diagnostics/rule_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/backends/backend.h"

namespace primus_plan {
namespace {

using testing::HasSubstr;

TEST(RulesCalled, ByIdNameAndFirstLetters) {
  const auto all = all_rules();
  ASSERT_EQ(rules_called("MG203", all).size(), 1U);
  EXPECT_EQ(rules_called("MG203", all).front()->id, "MG203");
  EXPECT_EQ(rules_called("mg203", all).front()->id, "MG203");
  EXPECT_EQ(rules_called(rules_called("MG203", all).front()->name, all).front()->id, "MG203");
  const auto batch = rules_called("MG2", all);
  EXPECT_GT(batch.size(), 5U);
  for (const RuleInfo* rule : batch) EXPECT_TRUE(rule->id.starts_with("MG2")) << rule->id;
  EXPECT_TRUE(rules_called("M", all).empty()) << "one letter would call two frameworks' rules";
  EXPECT_TRUE(rules_called("", all).empty());
  EXPECT_TRUE(rules_called("MG2033", all).empty());
}

TEST(RulesCalled, UnknownWordsGetASuggestion) {
  const auto all = all_rules();
  EXPECT_THAT(unknown_rule_text("unused-ingore", all), HasSubstr("did you mean CF221 (unused-ignore)?"));
  EXPECT_EQ(unknown_rule_text("qwertyuiop", all), "no rule is called qwertyuiop");
}

TEST(Wishes, TheLongerWordWinsAndOfEqualsTheLast) {
  const auto all = all_rules();
  Levels levels;
  const LevelWish wishes[] = {
      {"MG203", Level::warning}, {"MG", Level::note}, {"MG2", Level::error}, {"MG2", Level::off}};
  apply_wishes(wishes, all, levels);
  EXPECT_EQ(levels.at("MG203"), Level::warning);
  EXPECT_EQ(levels.at("MG204"), Level::off);
  EXPECT_EQ(levels.at("MG301"), Level::note);
  EXPECT_FALSE(levels.contains("TT201"));
}

TEST(Levels, AreReadAndWritten) {
  for (const Level level : {Level::off, Level::note, Level::warning, Level::error}) {
    EXPECT_EQ(parse_level(to_string(level)), level);
  }
  EXPECT_FALSE(parse_level("fatal").has_value());
}

}  // namespace
}  // namespace primus_plan
