#include "report/markdown_text.h"

#include <gtest/gtest.h>

namespace primus_plan {
namespace {

TEST(MarkdownText, WordsStayReadable) {
  EXPECT_EQ(markdown_text("global_batch_size 100 is not a multiple of 2 x 16 = 32"),
            "global_batch_size 100 is not a multiple of 2 x 16 = 32");
}

TEST(MarkdownText, MarkupBecomesReferences) {
  EXPECT_EQ(markdown_text("<b>&amp;"), "&lt;b&gt;&amp;amp;");
  EXPECT_EQ(markdown_text("a|b"), "a&#124;b");
  EXPECT_EQ(markdown_text("__init__ *x* `y` [z](u)"),
            "&#95;&#95;init&#95;&#95; &#42;x&#42; &#96;y&#96; &#91;z&#93;(u)");
  EXPECT_EQ(markdown_text("a\nb\x1b"), "a&#92;nb&#92;x1b");
}

TEST(MarkdownText, NothingStartsABlock) {
  EXPECT_EQ(markdown_text("# h"), "&#35; h");
  EXPECT_EQ(markdown_text("- a - b"), "&#45; a - b");
  EXPECT_EQ(markdown_text("12. a"), "12&#46; a");
  EXPECT_EQ(markdown_text("1.5 x"), "1&#46;5 x");
  EXPECT_EQ(markdown_text("v1. a"), "v1. a");
}

TEST(MarkdownText, CodeThatHoldsCodeMarks) {
  EXPECT_EQ(markdown_code("a_b<c>"), "`a_b<c>`");
  EXPECT_EQ(markdown_code("a`b"), "<code>a&#96;b</code>");
  EXPECT_EQ(markdown_code("a|b"), "<code>a&#124;b</code>");
}

TEST(MarkdownText, FencesAreLongerThanThoseInside) {
  EXPECT_EQ(markdown_fence("yaml", "a: 1\nb: 2\n"), "```yaml\na: 1\nb: 2\n```\n");
  EXPECT_EQ(markdown_fence("", "````\nx"), "`````\n````\nx\n`````\n");
}

}  // namespace
}  // namespace primus_plan
