#include "primus_plan/config/node.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

TEST(Node, TypesAreToldApart) {
  EXPECT_FALSE(same_value(*make_integer(1), *make_real(1)));
  EXPECT_FALSE(same_value(*make_integer(1), *make_boolean(true)));
  EXPECT_FALSE(same_value(*make_string("1"), *make_integer(1)));
  EXPECT_TRUE(same_value(*make_real(0.0), *make_real(-0.0)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same_value(*make_real(nan), *make_real(nan)));
}

TEST(Node, MappingsAreEqualInAnyOrderAndListsAreNot) {
  EXPECT_TRUE(same_value(*parse("{a: 1, b: [x]}").root, *parse("{b: [x], a: 1}").root));
  EXPECT_FALSE(same_value(*parse("{a: 1}").root, *parse("{a: 1, b: 1}").root));
  EXPECT_FALSE(same_value(*parse("[1, 2]").root, *parse("[2, 1]").root));
  EXPECT_TRUE(same_value(*parse("!!set {a, b}").root, *parse("!!set {b, a}").root));
}

TEST(Node, DottedPaths) {
  const ParsedYaml parsed = parse("a: {b: {c: 5}}\n");
  EXPECT_EQ(parsed.root->at_path("a.b.c")->integer, 5);
  EXPECT_EQ(parsed.root->at_path("a.x.c"), nullptr);
  EXPECT_EQ(parsed.root->at_path("a.b.c.d"), nullptr);
  EXPECT_EQ(place(parsed.root->entry_at_path("a.b.c")->key_origin), "1:9+1");
}

class RoundTrip : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RoundTrip, TextIsReadBackAsTheSameValue) {
  const NodePtr value = parse(std::string(GetParam())).root;
  const std::string text = to_text(*value);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_TRUE(same_value(*value, *parse(text).root)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Values, RoundTrip,
    ::testing::Values("8", "'8'", "1.0e-5", "1e-5", "1.0e+300", "-0.5", ".inf", "-.inf", ".nan", "0.1", "100.0", "~",
                      "'null'", "''", "yes", "'yes'", "'a: b'", "'a #b'", "'#'", "'- x'", "'-'", "'a:'", "' a '",
                      "'[x]'", "'x, y'", "\"tab\\tquote\\\" \\\\ \\n\\u0001\\u2028\\U0001F600\"", "'it''s'",
                      "2001-01-02", "'2001-01-02'", "2001-01-02 03:04:05.5 +1:30", "!!binary aGVsbG8=", "[]", "{}",
                      "[1, [a, {b: ~}]]", "{a: 1, 2: b, ~: c, '3': d}", "!!set {a, '1'}", "'<<'", "'='", "'1:30'",
                      "123456789012345678901234567890", "'%x'", "'@x'", "é漢", "'a\\b'", "'?'", "'? x'", "'|'"));

TEST(Node, KindsHaveNamesForMessages) {
  EXPECT_EQ(to_string(Kind::integer), "an integer");
  EXPECT_EQ(to_string(Kind::sequence), "a list");
}

}  // namespace
}  // namespace primus_plan::test
