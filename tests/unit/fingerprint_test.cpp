#include "report/fingerprint.h"

#include <gtest/gtest.h>

#include "support/reports.h"

namespace primus_plan::test {
namespace {

Finding some_finding() { return broken_report().modules[0].findings[0]; }

TEST(Fingerprint, IsFnv1a) {
  const RuleInfo rule{.id = "A",
                      .runtime_site = {},
                      .outcome = {},
                      .summary = {},
                      .explanation = {},
                      .bad = {.world_size = 1, .yaml = {}},
                      .good = {.world_size = 1, .yaml = {}}};
  Finding finding;
  finding.rule = &rule;
  // By hand: the bytes 41 ff ff ff ff.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const unsigned byte : {0x41U, 0xFFU, 0xFFU, 0xFFU, 0xFFU}) hash = (hash ^ byte) * 1099511628211ULL;
  EXPECT_EQ(std::stoull(fingerprint(finding, "", ""), nullptr, 16), hash);
}

TEST(Fingerprint, NeverChanges) {
  // Baselines hold these: a new value would bring back every old finding.
  EXPECT_EQ(fingerprint(some_finding(), "exp.yaml", "pre_trainer"), "a2d2de4b3dba60e4");
}

TEST(Fingerprint, SurvivesMovedLines) {
  Finding moved = some_finding();
  moved.primary.origin.line += 40;
  moved.primary.origin.column += 2;
  moved.related.clear();
  moved.help.clear();
  EXPECT_EQ(fingerprint(moved, "exp.yaml", "m"), fingerprint(some_finding(), "exp.yaml", "m"));
  EXPECT_EQ(fingerprint(moved, "./exp.yaml", "m"), fingerprint(moved, "exp.yaml", "m"));
}

TEST(Fingerprint, TellsFindingsApart) {
  const Finding finding = some_finding();
  const std::string print = fingerprint(finding, "exp.yaml", "m");
  EXPECT_EQ(print.size(), 16U);
  EXPECT_NE(fingerprint(finding, "other.yaml", "m"), print);
  EXPECT_NE(fingerprint(finding, "exp.yaml", "n"), print);
  EXPECT_NE(fingerprint(finding, "exp.yamlm", ""), print);
  Finding other = finding;
  other.message = "global_batch_size 101 is not a multiple of micro_batch_size x DP = 2 x 16 = 32";
  EXPECT_NE(fingerprint(other, "exp.yaml", "m"), print) << "numbers count";
  other = finding;
  other.rule = broken_report().modules[0].findings[1].rule;
  EXPECT_NE(fingerprint(other, "exp.yaml", "m"), print);
}

TEST(Fingerprint, OfTwoThatAreAlike) {
  UniqueFingerprints prints("exp.yaml");
  const Finding finding = some_finding();
  const std::string first = prints.next(finding, "m");
  EXPECT_EQ(first, fingerprint(finding, "exp.yaml", "m"));
  EXPECT_EQ(prints.next(finding, "m"), first + "-2");
  EXPECT_EQ(prints.next(finding, "m"), first + "-3");
}

}  // namespace
}  // namespace primus_plan::test
