#include "primus_plan/report/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/report/statistics.h"

namespace primus_plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RuleInfo rule_named(std::string_view id, std::string_view name, Severity severity) {
  return {.id = id,
          .name = name,
          .severity = severity,
          .stage = Stage::advice,
          .runtime_site = {},
          .outcome = {},
          .summary = {},
          .explanation = {},
          .bad = {.world_size = 1, .yaml = {}},
          .good = {.world_size = 1, .yaml = {}}};
}

const RuleInfo broken = rule_named("XX101", "broken", Severity::error);
const RuleInfo odd = rule_named("XX201", "odd", Severity::warning);

Finding finding_of(const RuleInfo& rule, std::string message) {
  Finding finding;
  finding.rule = &rule;
  finding.severity = rule.severity;
  finding.message = std::move(message);
  return finding;
}

FileReport report(const std::string& path, std::vector<Finding> findings) {
  Analysis module;
  module.path = path;
  module.module = "pre_trainer";
  module.findings = std::move(findings);
  recount(module);
  return {.path = path, .modules = {module}, .load_errors = {}, .sources = {}};
}

std::vector<std::string> told(const FileReport& file) {
  std::vector<std::string> out;
  for (const Finding& f : file.modules.at(0).findings) out.push_back(f.message);
  return out;
}

TEST(Choice, LevelsAreSetAndTheVerdictFollows) {
  FileReport file = report("a.yaml", {finding_of(broken, "b"), finding_of(odd, "o")});
  EXPECT_EQ(file.modules[0].verdict, Verdict::error);
  const Levels softer = {{"XX101", Level::note}};
  apply_choice(file, {.levels = &softer});
  EXPECT_EQ(file.modules[0].findings[0].severity, Severity::note);
  EXPECT_EQ(file.modules[0].verdict, Verdict::warning);
  EXPECT_EQ(file.modules[0].errors, 0U);
  const Levels louder = {{"XX201", Level::error}, {"XX101", Level::off}};
  apply_choice(file, {.levels = &louder});
  EXPECT_THAT(told(file), ElementsAre("o"));
  EXPECT_EQ(file.modules[0].verdict, Verdict::error);
  EXPECT_EQ(file.modules[0].errors, 1U);
}

TEST(Choice, IgnoredRulesAreLeftOut) {
  FileReport file = report("a.yaml", {finding_of(broken, "b"), finding_of(odd, "o")});
  apply_choice(file, {.levels = nullptr, .ignored = {"XX101", "XX201"}});
  EXPECT_THAT(told(file), IsEmpty());
  EXPECT_EQ(file.modules[0].verdict, Verdict::ok);
}

TEST(Choice, AFileThatCouldNotBeLoadedNeverPasses) {
  FileReport file{.path = "a.yaml", .modules = {}, .load_errors = {finding_of(broken, "b")}, .sources = {}};
  apply_choice(file, {.levels = nullptr, .ignored = {"XX101"}});
  ASSERT_EQ(file.modules.size(), 1U);
  EXPECT_EQ(file.modules[0].verdict, Verdict::not_checked);
  EXPECT_EQ(summarize(file).not_checked, 1U);
}

TEST(Choice, UnjudgedModulesStayUnjudged) {
  FileReport file = report("a.yaml", {finding_of(broken, "b")});
  file.modules[0].is_judged = false;
  apply_choice(file, {.levels = nullptr, .ignored = {"XX101"}});
  EXPECT_EQ(file.modules[0].verdict, Verdict::not_checked);
}

TEST(Baselines, KnowFindingsWhateverTheirLineAndCountAlikeOnes) {
  const FileReport old = report("/repo/exp/a.yaml", {finding_of(odd, "x"), finding_of(odd, "x")});
  const Baseline baseline(baseline_to_json(baseline_entries(old, "exp/a.yaml")));
  EXPECT_EQ(baseline.size(), 2U);
  FileReport now = report("./exp/a.yaml",
                          {finding_of(odd, "x"), finding_of(odd, "x"), finding_of(odd, "x"), finding_of(broken, "x")});
  for (Finding& finding : now.modules[0].findings) finding.primary.origin.line = 99;
  apply_choice(now, {.levels = nullptr, .ignored = {}, .baseline = &baseline, .path = "exp/a.yaml"});
  ASSERT_EQ(now.modules[0].findings.size(), 2U) << "the third of three, and the other rule";
  EXPECT_EQ(now.modules[0].findings[1].rule, &broken);
  FileReport elsewhere = report("/repo/exp/b.yaml", {finding_of(odd, "x")});
  apply_choice(elsewhere, {.levels = nullptr, .ignored = {}, .baseline = &baseline, .path = "exp/b.yaml"});
  EXPECT_THAT(told(elsewhere), ElementsAre("x"));
  FileReport document = report("/repo/exp/a.yaml", {finding_of(odd, "x")});
  document.modules[0].path += "#2";
  apply_choice(document, {.levels = nullptr, .ignored = {}, .baseline = &baseline, .path = "exp/a.yaml"});
  EXPECT_THAT(told(document), ElementsAre("x")) << "the second document of a file is not the first";
}

TEST(Baselines, AreSortedAndReadable) {
  auto entries = baseline_entries(report("/r/b.yaml", {finding_of(odd, "say \"x\"")}), "b.yaml");
  const auto more = baseline_entries(report("/r/a.yaml", {finding_of(odd, "y")}), "a.yaml");
  entries.insert(entries.end(), more.begin(), more.end());
  const std::string text = baseline_to_json(entries);
  EXPECT_LT(text.find("a.yaml"), text.find("b.yaml"));
  EXPECT_THAT(text, HasSubstr(R"("rule": "XX201", "path": "b.yaml", "module": "pre_trainer", "message": "say \"x\"")"));
  EXPECT_EQ(Baseline(baseline_to_json({})).size(), 0U);
}

TEST(Baselines, OtherTextsAreRefused) {
  for (const char* text : {"", "{}", "a: 1", R"({"schema": "primus-plan-baseline/1"})",
                           R"({"schema": "primus-plan-baseline/1", "findings": [1]})", R"({"schema": "sarif"})"}) {
    EXPECT_THROW(Baseline{text}, BadBaseline) << text;
  }
}

TEST(StatisticsTest, CountsRulesMostFrequentFirst) {
  Statistics all;
  all.add(report("a.yaml", {finding_of(broken, "b"), finding_of(odd, "o"), finding_of(odd, "p")}));
  Statistics more;
  more.add(report("b.yaml", {finding_of(odd, "o")}));
  all.add(more);
  const Summary total{.files = 2, .errors = 1, .warnings = 3};
  EXPECT_EQ(all.to_text(total, {}),
            "  count   files  severity rule   name\n"
            "      3       2  warning  XX201  odd\n"
            "      1       1  error    XX101  broken\n"
            "\n2 files: 1 error, 3 warnings\n");
  EXPECT_THAT(all.to_json(total),
              HasSubstr(R"({"rule": "XX201", "name": "odd", "severity": "warning", "count": 3, "files": 2})"));
}

}  // namespace
}  // namespace primus_plan
