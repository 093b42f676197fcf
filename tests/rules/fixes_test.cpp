// Every fix a rule offers, applied to its own `bad` example, silences the rule and changes nothing but what it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/config/edit_check.h"
#include "primus_plan/diagnostics/edits.h"
#include "primus_plan/planner/mend.h"

namespace primus_plan {
namespace {

const ExampleChecker& checker() {
  static const ExampleChecker checker;
  return checker;
}

bool fires(const std::vector<Finding>& findings, const RuleInfo& rule) {
  return std::ranges::any_of(findings, [&](const Finding& finding) { return finding.rule == &rule; });
}

std::size_t errors(const std::vector<Finding>& findings) {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& f) { return f.severity == Severity::error; }));
}

/// Fixes of the rule's findings that edit the example itself.
std::vector<Fix> fixes_of(const RuleInfo& rule, const CheckedExample& report) {
  std::vector<Fix> out;
  for (const Finding& finding : report.findings) {
    if (finding.rule == &rule) out.insert(out.end(), finding.fixes.begin(), finding.fixes.end());
  }
  return out;
}

class RuleFixes : public testing::TestWithParam<const RuleInfo*> {};

Judge judge_of(const Example& example) {
  return [&example](const std::string& text) {
    CheckedExample report = checker().check(example, text);
    Judgement out{
        .findings = report.findings, .sources = report.loaded.sources, .is_loaded = report.loaded.errors.empty()};
    for (const Experiment& one : report.loaded.experiments) {
      out.sources.insert(out.sources.end(), one.sources.begin(), one.sources.end());
    }
    return out;
  };
}

TEST_P(RuleFixes, MendTheBadExample) {
  const RuleInfo& rule = *GetParam();
  const std::string text(rule.bad.yaml);
  const Judge judge = judge_of(rule.bad);
  const Judgement before = judge(text);
  for (const FixLevel level : {FixLevel::safe, FixLevel::all}) {
    const bool offered = std::ranges::any_of(before.findings, [&](const Finding& finding) {
      return finding.rule == &rule &&
             std::ranges::any_of(finding.fixes, [&](const Fix& fix) { return level == FixLevel::all || fix.safe; });
    });
    const Mended mended = mend(text, judge, level);
    if (!offered) continue;
    const Judgement after = judge(mended.text);
    EXPECT_FALSE(fires(after.findings, rule)) << rule.id << " after its fix:\n" << mended.text;
    EXPECT_LE(errors(after.findings), errors(before.findings)) << mended.text;
    EXPECT_FALSE(mended.applied.empty());
  }
}

/// One fix at a time, so that the bytes outside the edit can be compared.
TEST_P(RuleFixes, KeepEveryOtherByte) {
  const RuleInfo& rule = *GetParam();
  const CheckedExample report = checker().check(rule.bad);
  for (const Fix& fix : fixes_of(rule, report)) {
    const auto edited = edit_document(fix.edits);
    ASSERT_TRUE(edited) << rule.id << " " << fix.title << ": not an edit of one value\n" << rule.bad.yaml;
    std::string expected(rule.bad.yaml);
    std::vector<TextChange> changes;
    for (const Edit& edit : fix.edits) changes.push_back(text_change(edit).value());
    std::ranges::sort(changes, std::greater<>(), &TextChange::begin);
    for (const TextChange& change : changes) {
      expected.replace(change.begin, change.end - change.begin, change.replacement);
    }
    EXPECT_EQ(*edited, expected);
    EXPECT_FALSE(fires(checker().check(rule.bad, *edited).findings, rule))
        << rule.id << " still fires after: " << fix.title << '\n'
        << *edited;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RuleFixes, testing::ValuesIn(all_rules()),
                         [](const auto& test) { return std::string(test.param->id); });

}  // namespace
}  // namespace primus_plan
