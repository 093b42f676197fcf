#include <gtest/gtest.h>

#include <cmath>

#include "primus_plan/report/node_text.h"
#include "support/nodes.h"

namespace primus_plan::test {
namespace {

std::string yaml(const NodePtr& node) {
  std::string text = node_to_yaml(*node);
  EXPECT_EQ(text.back(), '\n');
  text.pop_back();
  return text;
}

TEST(NodeYaml, StringsThatLookLikeOtherTypesAreQuoted) {
  for (const char* text :
       {"8",    "1e-5", "true", "Yes", "off", "null", "~",    "",     "2001-01-01", "12:30", "0x1f", "1_000",
        ".inf", ".5",   "-",    "+1",  "=",   "<<",   "y",    "N",    "!tag",       "&a",    "*a",   "%a",
        "@a",   "`a",   "? a",  "---", " a",  "a ",   "a: b", "a #b", "a:",         "[a]",   "{a}",  "a, b"}) {
    const std::string written = yaml(make_string(text));
    EXPECT_TRUE(written.front() == '"' || written.front() == '\'') << text << " became " << written;
  }
}

TEST(NodeYaml, PlainWordsStayPlain) {
  for (const char* text :
       {"megatron", "llama3_8B.yaml", "./output", "../a", "/data/c4", "a:b", "http://x/y", "hello world", "bf16"}) {
    EXPECT_EQ(yaml(make_string(text)), text);
  }
}

TEST(NodeYaml, EscapesOnlyWhereNeeded) {
  EXPECT_EQ(yaml(make_string("a \"b\"")), "'a \"b\"'");
  EXPECT_EQ(yaml(make_string("a \"b\" 'c'")), R"("a \"b\" 'c'")");
  EXPECT_EQ(yaml(make_string("two\nlines")), R"("two\nlines")");
  EXPECT_EQ(yaml(make_string("größer")), "\"größer\"");
  EXPECT_EQ(yaml(make_string("\x85\"")), "\"\xEF\xBF\xBD\\\"\"") << "a byte that is no UTF-8";
}

TEST(NodeYaml, NumbersAreReadBackAsTheirType) {
  EXPECT_EQ(yaml(make_real(1e-5)), "1.0e-05") << "PyYAML takes 1e-05 for a string";
  EXPECT_EQ(yaml(make_real(3)), "3.0");
  EXPECT_EQ(yaml(make_real(1.5e300)), "1.5e+300");
  EXPECT_EQ(yaml(make_real(NAN)), ".nan");
  EXPECT_EQ(yaml(make_real(-INFINITY)), "-.inf");
  EXPECT_EQ(yaml(scalar(Kind::big_integer, "123456789012345678901")), "123456789012345678901");
  EXPECT_EQ(yaml(scalar(Kind::bytes, "hello")), "!!binary \"aGVsbG8=\"");
}

TEST(NodeYaml, CollectionsInBlockStyle) {
  const NodePtr inner = mapping({{make_string("b"), make_integer(1)}, {make_string("c"), make_sequence({})}});
  const NodePtr list = make_sequence({inner, make_sequence({make_sequence({make_integer(1)}), make_null()})});
  EXPECT_EQ(
      yaml(mapping({{make_string("a"), inner}, {make_string("list"), list}, {make_integer(1), make_string("1")}})),
      "a:\n  b: 1\n  c: []\nlist:\n  - b: 1\n    c: []\n  - - [1]\n    - null\n1: \"1\"");
  EXPECT_EQ(yaml(mapping({})), "{}");
}

TEST(NodeYaml, SetsAndPairsKeepTheirTags) {
  EXPECT_EQ(yaml(collection(Kind::set, {make_string("x"), make_integer(1)})), "!!set {? x, ? 1}");
  EXPECT_EQ(yaml(make_sequence({collection(Kind::tuple, {make_string("x"), make_integer(1)})})), "!!pairs [{? x : 1}]");
}

TEST(NodeYaml, NamesInCommentsStayInThem) {
  auto node = std::make_shared<Node>(*make_integer(64));
  node->environment.push_back({"A\x1b[2J\n      train_iters: 7 \xe2\x80\xae#", false});
  const std::string text = node_to_yaml(*node, {.origins = true});
  EXPECT_NE(text.find(R"($A\x1b[2J\n      train_iters: 7 \u202e# not set)"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(NodeYaml, OriginsStandBehindEachLine) {
  const Source source("exp.yaml", "a: 1\n");
  const Origin key{&source, 1, 1, 1, Layer::experiment};
  const Origin value{&source, 1, 4, 1, Layer::experiment};
  EXPECT_EQ(node_to_yaml(*mapping({{make_string("a", key), make_integer(1, value)}, {make_string("b"), make_null()}}),
                         {.origins = true}),
            "a: 1                                            # exp.yaml:1 (experiment)\n"
            "b: null                                         # (backend default)\n");
}

}  // namespace
}  // namespace primus_plan::test
