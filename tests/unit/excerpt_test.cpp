#include "report/excerpt.h"

#include <gtest/gtest.h>

#include "primus_plan/support/text.h"

namespace primus_plan::test {
namespace {

constexpr int wide = 200;

TEST(Excerpt, MarksARange) {
  const Excerpt excerpt = make_excerpt("  key: value", 8, 5, wide);
  EXPECT_EQ(excerpt.line, "  key: value");
  EXPECT_EQ(excerpt.marks, "       ^~~~~");
}

TEST(Excerpt, RangeEndsWithItsLine) {
  EXPECT_EQ(make_excerpt("ab", 2, 100, wide).marks, " ^");
  EXPECT_EQ(make_excerpt("ab", 3, 1, wide).marks, "  ^") << "the place behind the last character";
  EXPECT_EQ(make_excerpt("ab", 90, 1, wide).marks, "  ^");
  EXPECT_EQ(make_excerpt("ab", 1, 0, wide).marks, "^");
}

TEST(Excerpt, WithoutColumnMarksNothing) { EXPECT_EQ(make_excerpt("ab", 0, 0, wide).marks, ""); }

TEST(Excerpt, TabsFillUpToTheNextStop) {
  const Excerpt excerpt = make_excerpt("\ta:\tb", 5, 1, wide);
  EXPECT_EQ(excerpt.line, "    a:  b");
  EXPECT_EQ(excerpt.marks, "        ^");
}

TEST(Excerpt, ColumnsCountCodePointsAndMarksCountCells) {
  EXPECT_EQ(make_excerpt("größe: 8", 8, 1, wide).marks, "       ^");
  EXPECT_EQ(make_excerpt("名: 8", 4, 1, wide).marks, "    ^") << "a wide character takes two cells";
  EXPECT_EQ(make_excerpt("e\u0301: 8", 5, 1, wide).marks, "   ^") << "a combining mark takes none";
  EXPECT_EQ(make_excerpt("a: 名名", 4, 2, wide).marks, "   ^~~~");
}

TEST(Excerpt, WhatHasNoPictureIsEscaped) {
  const Excerpt excerpt = make_excerpt("a\x1b[2J: \xff 8", 10, 1, wide);
  EXPECT_EQ(excerpt.line, "a\\x1b[2J: \\xff 8");
  EXPECT_EQ(excerpt.marks, std::string(excerpt.line.find('8'), ' ') + "^");
}

TEST(Excerpt, LongLinesAreCutAroundTheMarks) {
  const std::string line = std::string(500, 'a') + "VALUE" + std::string(500, 'b');
  const Excerpt excerpt = make_excerpt(line, 501, 5, 40);
  EXPECT_LE(display_width(excerpt.line), 40U);
  EXPECT_EQ(excerpt.line.substr(0, 3), "…");
  EXPECT_EQ(excerpt.line.substr(excerpt.line.size() - 3), "…");
  const std::size_t cells_before = excerpt.line.find("VALUE") - 3 + 1;
  EXPECT_EQ(excerpt.marks, std::string(cells_before, ' ') + "^~~~~");
}

TEST(Excerpt, LongLinesKeepTheirBeginningAndEnd) {
  const std::string line = "key: " + std::string(500, 'x') + " end";
  EXPECT_EQ(make_excerpt(line, 1, 3, 40).line.substr(0, 5), "key: ");
  const std::string tail = make_excerpt(line, 507, 3, 40).line;
  EXPECT_EQ(tail.substr(tail.size() - 4), " end");
}

TEST(Excerpt, RangeWiderThanTheTerminalIsCut) {
  const Excerpt excerpt = make_excerpt("a: " + std::string(500, 'x'), 4, 500, 40);
  EXPECT_LE(display_width(excerpt.line), 40U);
  EXPECT_LE(display_width(excerpt.marks), 40U);
}

TEST(Excerpt, AMegabyteInOneLineIsNoTrouble) {
  const std::string line(8U << 20U, 'x');
  EXPECT_LE(display_width(make_excerpt(line, 4U << 20U, 1U << 20U, 100).line), 100U);
}

}  // namespace
}  // namespace primus_plan::test
