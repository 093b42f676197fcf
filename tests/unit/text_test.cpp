#include "primus_plan/support/text.h"

#include <gtest/gtest.h>

#include "primus_plan/support/terminal_text.h"

namespace primus_plan {
namespace {

using Names = std::vector<std::string_view>;

TEST(Text, LogsOfGitHubGetNoCommands) {
  EXPECT_EQ(log_text("::error::x\n", true), "\\x3a:error::x\n");
  EXPECT_EQ(log_text(" \t::warning::x\n\n  ::a::b", true), " \t\\x3a:warning::x\n\n  \\x3a:a::b");
  EXPECT_EQ(log_text("\xC2\xA0\xE3\x80\x80::a::b", true), "\xC2\xA0\xE3\x80\x80\\x3a:a::b");
  EXPECT_EQ(log_text("a\r::b::c", true), "a\r\\x3a:b::c");
  EXPECT_EQ(log_text("::error::x", false), "::error::x") << "the middle of a line";
  EXPECT_EQ(log_text("a ##[error]b ##[c\n", true), "a #\\x23[error]b #\\x23[c\n");
  for (const char* harmless : {"", "a::b\n", ":a\n", "## [x]\n", "a\n\n b: ::c\n", ":"}) {
    EXPECT_EQ(log_text(harmless, true), harmless);
  }
}

TEST(Text, EditDistanceCountsSwapsAsOne) {
  EXPECT_EQ(edit_distance("micro", "micro", 3), 0U);
  EXPECT_EQ(edit_distance("micro", "mirco", 3), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3U);
  EXPECT_EQ(edit_distance("", "abc", 5), 3U);
  EXPECT_EQ(edit_distance("ca", "abc", 5), 3U) << "optimal string alignment never edits between swapped letters";
}

TEST(Text, EditDistanceStopsAtItsCutoff) {
  EXPECT_EQ(edit_distance("abcdef", "uvwxyz", 2), 3U);
  EXPECT_EQ(edit_distance("a", "abcdefgh", 3), 4U);
  EXPECT_EQ(edit_distance("badc", "abcd", 2), 2U) << "two swaps, one after the other";
}

TEST(Text, NearestNamesAreOrderedAndFew) {
  const Names keys{"global_batch_size", "micro_batch_size", "micro_batch_sizes", "seq_length", "lr"};
  EXPECT_EQ(nearest_names("mirco_batch_size", keys, 2), (Names{"micro_batch_size", "micro_batch_sizes"}));
  EXPECT_EQ(nearest_names("MICRO_BATCH_SIZE", keys, 1), (Names{"micro_batch_size"}));
  EXPECT_TRUE(nearest_names("hidden", keys, 3).empty());
  EXPECT_TRUE(nearest_names("xy", keys, 3).empty()) << "nothing in common is no suggestion";
}

TEST(Text, JoinPutsSeparatorsBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"1", "2", "3"}, ", "), "1, 2, 3");
  EXPECT_EQ(join(Names{"one"}, ", "), "one");
  EXPECT_EQ(join(Names{}, ", "), "");
}

TEST(Text, ControlsBecomeVisible) {
  EXPECT_EQ(escape_controls("plain ü 漢"), "plain ü 漢");
  EXPECT_EQ(escape_controls("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(escape_controls("a\nb\tc\rd\x7f"), "a\\nb\\tc\\rd\\x7f");
  EXPECT_EQ(escape_controls("\xc2\x9b"
                            "2J"),
            "\\x9b2J")
      << "C1 control sequence introducer";
  EXPECT_EQ(escape_controls("\xe2\x80\xae"
                            "txt"),
            "\\u202etxt")
      << "right-to-left override";
  EXPECT_EQ(escape_controls(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(escape_controls("\xff\xc3"), "\\xff\\xc3") << "no UTF-8";
  EXPECT_EQ(escape_controls("\xc0\x9b"), "\\xc0\\x9b") << "an overlong form is no character";
  EXPECT_EQ(escape_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "nor is a surrogate";
}

TEST(Text, WidthOnATerminal) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("größe"), 5U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U) << "combining accent";
  EXPECT_EQ(display_width("模型"), 4U);
  EXPECT_EQ(display_width("🚀"), 2U);
  EXPECT_EQ(display_width("\xff"), 1U);
}

TEST(Text, OneIsSingular) {
  EXPECT_EQ(one_is_singular("PP 16 with 1 micro-batches"), "PP 16 with 1 micro-batch");
  EXPECT_EQ(one_is_singular("11 ranks on 1 nodes, 1 GPUs each"), "11 ranks on 1 node, 1 GPU each");
  EXPECT_EQ(one_is_singular("8 / 8 = 1 layers."), "8 / 8 = 1 layer.");
  EXPECT_EQ(one_is_singular("0.1 steps, 1 x 1, rank1 stages, 1 status"), "0.1 steps, 1 x 1, rank1 stages, 1 status");
}

}  // namespace
}  // namespace primus_plan
