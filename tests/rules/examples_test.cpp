// Every rule's own examples: `bad` fires exactly that rule at its severity, `good` is silent.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/report/rules.h"

namespace primus_plan {
namespace {

/// What `check` would find in a rule's example, as "ID severity" words. Advice of other rules does not count: an
/// example of eight GPUs is rarely a well laid out run.
std::multiset<std::string> fired(const RuleInfo& rule, const Example& example) {
  std::multiset<std::string> out;
  static const ExampleChecker checker;
  const CheckedExample checked = checker.check(example);
  for (const Finding& finding : checked.findings) {
    const bool is_aside = finding.rule->stage == Stage::advice || finding.rule->id.starts_with("FT");
    if (is_aside && finding.rule != &rule) continue;
    out.insert(std::string(finding.rule->id) + " " + std::string(to_string(finding.severity)));
  }
  return out;
}

class RuleExamples : public testing::TestWithParam<const RuleInfo*> {};

TEST_P(RuleExamples, BadFiresThisRuleAlone) {
  const RuleInfo& rule = *GetParam();
  const std::string expected = std::string(rule.id) + " " + std::string(to_string(rule.severity));
  const auto found = fired(rule, rule.bad);
  EXPECT_TRUE(found.contains(expected)) << "the bad example of " << expected << " does not fire it:\n" << rule.bad.yaml;
  for (const std::string& other : found) {
    EXPECT_EQ(other, expected) << "the bad example of " << expected << " also fires " << other;
  }
}

TEST_P(RuleExamples, GoodIsSilent) {
  const RuleInfo& rule = *GetParam();
  for (const std::string& other : fired(rule, rule.good)) {
    ADD_FAILURE() << "the good example of " << rule.id << " fires " << other << ":\n" << rule.good.yaml;
  }
}

TEST_P(RuleExamples, IsDescribed) {
  const RuleInfo& rule = *GetParam();
  EXPECT_FALSE(rule.summary.empty());
  EXPECT_FALSE(rule.explanation.empty());
  EXPECT_TRUE(rule.summary.ends_with('.')) << rule.summary;
  EXPECT_FALSE(rule.outcome.ends_with('.')) << rule.outcome;
  EXPECT_EQ(rule.runtime_site.empty(), rule.stage == Stage::advice) << rule.id;
}

INSTANTIATE_TEST_SUITE_P(All, RuleExamples, testing::ValuesIn(all_rules()),
                         [](const auto& test) { return std::string(test.param->id); });

/// An error is never advice: either the runtime stops, or what this tool was given lets no run be judged.
TEST(Rules, NoErrorSaysThatItIsAdvice) {
  for (const RuleInfo* rule : all_rules()) {
    const RulePage page{.rule = rule};
    for (const std::string& text : {rule_to_text(page, {}), rule_to_markdown(page)}) {
      const bool says_advice =
          text.find("this is advice") != std::string::npos || text.find("stage advice") != std::string::npos;
      EXPECT_FALSE(says_advice && rule->severity == Severity::error) << text;
    }
    EXPECT_EQ(rule_to_text(page, {}).find("It would not notice") != std::string::npos,
              rule->stage == Stage::advice && rule->severity != Severity::error)
        << rule->id;
  }
}

TEST(Rules, IdsAndNamesAreUnique) {
  std::set<std::string_view> seen;
  for (const RuleInfo* rule : all_rules()) {
    EXPECT_TRUE(seen.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(seen.insert(rule->name).second) << rule->name;
  }
}

}  // namespace
}  // namespace primus_plan
