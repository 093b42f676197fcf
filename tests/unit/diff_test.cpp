#include "primus_plan/support/diff.h"

#include <gtest/gtest.h>

#include <string>

namespace primus_plan {
namespace {

std::string numbered(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += std::to_string(i) + '\n';
  return text;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(UnifiedDiff, EqualTextsHaveNone) { EXPECT_EQ(unified_diff("a", "x\n", "x\n"), ""); }

TEST(UnifiedDiff, ShowsThreeLinesAroundAChange) {
  EXPECT_EQ(unified_diff("exp.yaml", numbered(9), with(numbered(9), "5\n", "five\n")),
            "--- exp.yaml\n+++ exp.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, ChangesFarApartAreBlocksOfTheirOwn) {
  const std::string after = with(with(numbered(20), "2\n", "two\n"), "19\n", "");
  EXPECT_EQ(unified_diff("e", numbered(20), after),
            "--- e\n+++ e\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20\n");
}

TEST(UnifiedDiff, ChangesNearEachOtherShareABlock) {
  const std::string after = with(with(numbered(9), "2\n", "two\n"), "8\n", "eight\n");
  EXPECT_EQ(unified_diff("e", numbered(9), after),
            "--- e\n+++ e\n@@ -1,9 +1,9 @@\n 1\n-2\n+two\n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n 9\n");
}

TEST(UnifiedDiff, TellsOfAMissingLastLineBreak) {
  EXPECT_EQ(unified_diff("e", "a: 1", "a: 2"),
            "--- e\n+++ e\n@@ -1 +1 @@\n-a: 1\n\\ No newline at end of file\n+a: 2\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("e", "", "a\n"), "--- e\n+++ e\n@@ -0,0 +1 @@\n+a\n");
}

TEST(UnifiedDiff, KeepsCarriageReturns) {
  EXPECT_EQ(unified_diff("e", "a\r\nb\r\n", "a\r\nc\r\n"), "--- e\n+++ e\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
}

}  // namespace
}  // namespace primus_plan
