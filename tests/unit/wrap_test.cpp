#include "report/wrap.h"

#include <gtest/gtest.h>

namespace primus_plan {
namespace {

TextStyle terminal(int width) {
  TextStyle style;
  style.wraps = true;
  style.width = width;
  return style;
}

TEST(Wrapped, BreaksBetweenWordsAndIndentsTheRest) {
  EXPECT_EQ(wrapped("      = help: nearest legal values: 32, 40", 8, terminal(32)),
            "      = help: nearest legal\n        values: 32, 40");
  EXPECT_EQ(wrapped("fits in here", 2, terminal(40)), "fits in here");
  EXPECT_EQ(wrapped("two  spaces and a very-long-word-that-fits-nowhere-at-all end", 2, terminal(24)),
            "two  spaces and a\n  very-long-word-that-fits-nowhere-at-all\n  end");
  EXPECT_EQ(wrapped("", 2, terminal(40)), "");
}

TEST(Wrapped, ColoursTakeNoColumns) {
  EXPECT_EQ(wrapped("\x1b[1mten chars.\x1b[0m \x1b[31mten chars.\x1b[0m", 0, terminal(21)),
            "\x1b[1mten chars.\x1b[0m \x1b[31mten chars.\x1b[0m");
}

TEST(Wrapped, StaysWholeWithoutATerminal) {
  TextStyle file;
  file.width = 20;
  EXPECT_EQ(wrapped("a line that is longer than twenty columns", 2, file), "a line that is longer than twenty columns");
}

}  // namespace
}  // namespace primus_plan
