// Which edits of a YAML text are made, and that they keep every byte outside of them.
#include "primus_plan/config/edit_check.h"

#include <gtest/gtest.h>

#include <string>

#include "config/source_text.h"

namespace primus_plan {
namespace {

/// The edit that puts `to` in the place of the first `from` of a text.
Edit replace(const Source& source, const std::string& from, const std::string& to) {
  const std::size_t at = source.text().find(from);
  return {.where = origin_in(source, at, at + from.size(), Layer::experiment), .replacement = to};
}

std::string edited(const std::string& text, const std::string& from, const std::string& to) {
  const Source source("exp.yaml", text);
  return edit_document({replace(source, from, to)}).value_or("refused");
}

TEST(EditDocument, KeepsCommentsQuotesAndLayout) {
  EXPECT_EQ(edited("# café\na:   8   # why\nb: 'x'\n", "8", "16"), "# café\na:   16   # why\nb: 'x'\n");
  EXPECT_EQ(edited("a: {b: 8, c: [1,2]}", "8", "9"), "a: {b: 9, c: [1,2]}");
  EXPECT_EQ(edited("é: 1\n\"ü\": {ö: 8}\n", "8", "9"), "é: 1\n\"ü\": {ö: 9}\n");
  EXPECT_EQ(edited("\xEF\xBB\xBF"
                   "a: 8\r\nb: 1\r\n",
                   "8", "9"),
            "\xEF\xBB\xBF"
            "a: 9\r\nb: 1\r\n");
  EXPECT_EQ(edited("a: \"8\"\n", "\"8\"", "8"), "a: 8\n");
  EXPECT_EQ(edited("a: x\n", "x", "[x]"), "a: [x]\n");
  EXPECT_EQ(edited("a: [x, y]\n", "[x, y]", "[z]"), "a: [z]\n");
  EXPECT_EQ(edited("tp: 8\n", "tp", "tensor"), "tensor: 8\n") << "a key can be renamed";
}

TEST(EditDocument, RefusesWhatIsNotTheValueItself) {
  EXPECT_EQ(edited("a: ${TP:8}\n", "${TP:8}", "4"), "refused");
  EXPECT_EQ(edited("a: ${TP:8}\n", "8", "4"), "refused") << "the default of a variable";
  EXPECT_EQ(edited("x: &tp 8\na: *tp\n", "*tp", "4"), "x: &tp 8\na: 4\n");
  EXPECT_EQ(edited("x: &tp 8\na: *tp\n", "8", "4"), "refused") << "an alias repeats it";
  EXPECT_EQ(edited("x: &m {tp: 8}\na:\n  <<: *m\n", "8", "4"), "refused") << "a merge key repeats it";
  EXPECT_EQ(edited("a: 8\na: 4\n", "8", "2"), "refused") << "the later value wins";
  EXPECT_EQ(edited("a: one\n  two\n", "one", "three"), "refused") << "the value goes on in the next line";
  EXPECT_EQ(edited("a: |\n  text\n", "|", "8"), "refused");
  EXPECT_EQ(edited("a: 8\n", "8", "x: y"), "refused") << "not a value in this place";
  EXPECT_EQ(edited("a: 8\n", "8", "4 # x"), "a: 4 # x\n");
  EXPECT_EQ(edited("a: 8 # 8\n", "8 # 8", "4"), "refused") << "the comment is no part of the value";
  EXPECT_EQ(edited("b: 1\na: 8\n", "a", "b"), "refused") << "the key is there already";
}

TEST(EditDocument, AddsALine) {
  const auto add = [](const std::string& text, const std::string& after, const std::string& line) {
    const Source source("exp.yaml", text);
    Edit edit = replace(source, after, line);
    edit.insert_line = true;
    return edit_document({edit}).value_or("refused");
  };
  EXPECT_EQ(add("m:\n    a: 8  # why\n    b: 1\n", "8", "c: 2"), "m:\n    a: 8  # why\n    c: 2\n    b: 1\n");
  EXPECT_EQ(add("a: 8", "8", "c: 2"), "a: 8\nc: 2");
  EXPECT_EQ(add("a: 8\r\nb: 1\r\n", "8", "c: 2"), "a: 8\r\nc: 2\r\nb: 1\r\n");
  EXPECT_EQ(add("{a: 8, b: 1}\n", "8", "c: 2"), "refused");
  EXPECT_EQ(add("a: [1,\n 2]\n", "[1,", "c: 2"), "refused");
  EXPECT_EQ(add("a: 8\nb: 1\n", "8", "b: 2"), "refused");
}

TEST(EditDocument, TwoEditsAreOne) {
  const Source source("exp.yaml", "a: 8\nb: 1\n");
  EXPECT_EQ(edit_document({replace(source, "8", "4"), replace(source, "1", "2")}), "a: 4\nb: 2\n");
  EXPECT_EQ(edit_document({replace(source, "8", "4"), replace(source, "8", "2")}), std::nullopt);
  EXPECT_EQ(edit_document({}), std::nullopt);
}

}  // namespace
}  // namespace primus_plan
