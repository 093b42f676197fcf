// The types of plain, quoted and tagged scalars. Expectations were produced with PyYAML 6.0's SafeLoader.

#include <gtest/gtest.h>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

struct Case {
  std::string_view text;
  std::string_view expected;
};

void PrintTo(const Case& example, std::ostream* out) { *out << example.text; }

class ScalarType : public ::testing::TestWithParam<Case> {};

TEST_P(ScalarType, IsPyYamls) { EXPECT_EQ(typed(GetParam().text), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(Integers, ScalarType,
                         ::testing::Values(Case{"1", "int 1"}, Case{"+1", "int 1"}, Case{"-0", "int 0"},
                                           Case{"017", "int 15"}, Case{"08", "str 08"}, Case{"0b101", "int 5"},
                                           Case{"0x1F", "int 31"}, Case{"0X1F", "str 0X1F"}, Case{"0o17", "str 0o17"},
                                           Case{"1_000", "int 1000"}, Case{"_1", "str _1"}, Case{"1:30", "int 90"},
                                           Case{"-1:30", "int -90"}, Case{"1:60", "str 1:60"}, Case{"1:5", "int 65"},
                                           Case{"190:20:30", "int 685230"}, Case{"01:30", "str 01:30"},
                                           Case{"3-4", "str 3-4"}));

INSTANTIATE_TEST_SUITE_P(LargeIntegers, ScalarType,
                         ::testing::Values(Case{"9223372036854775807", "int 9223372036854775807"},
                                           Case{"-9223372036854775808", "int -9223372036854775808"},
                                           Case{"9223372036854775808", "big 9223372036854775808"},
                                           Case{"-9223372036854775809", "big -9223372036854775809"},
                                           Case{"0xFFFFFFFFFFFFFFFFFF", "big 4722366482869645213695"},
                                           Case{"0777777777777777777777777", "big 4722366482869645213695"},
                                           Case{"1:0:0:0:0:0:0:0:0:0:0:0:0", "big 2176782336000000000000"}));

INSTANTIATE_TEST_SUITE_P(Floats, ScalarType,
                         ::testing::Values(Case{"1e5", "str 1e5"}, Case{"1e-5", "str 1e-5"}, Case{"1.0e5", "str 1.0e5"},
                                           Case{"1.0e-5", "float 1.0e-05"}, Case{"1.0e+5", "float 100000.0"},
                                           Case{"1.e+5", "float 100000.0"}, Case{".5", "float 0.5"},
                                           Case{"-.5", "str -.5"}, Case{"1.", "float 1.0"}, Case{"1_0.5", "float 10.5"},
                                           Case{"1:30.5", "float 90.5"}, Case{".inf", "float .inf"},
                                           Case{"-.INF", "float -.inf"}, Case{".iNF", "str .iNF"},
                                           Case{".NaN", "float .nan"}, Case{"nan", "str nan"},
                                           Case{"1.0e+400", "float .inf"}, Case{"3.0e-400", "float 0.0"},
                                           Case{"5.0e-324", "float 5.0e-324"}, Case{"1.5.2", "str 1.5.2"}));

INSTANTIATE_TEST_SUITE_P(Words, ScalarType,
                         ::testing::Values(Case{"yes", "bool true"}, Case{"OFF", "bool false"}, Case{"On", "bool true"},
                                           Case{"y", "str y"}, Case{"n", "str n"}, Case{"tRUE", "str tRUE"},
                                           Case{"null", "null"}, Case{"~", "null"}, Case{"", "null"},
                                           Case{"None", "str None"}, Case{"'null'", "str null"}, Case{"'8'", "str 8"}));

INSTANTIATE_TEST_SUITE_P(
    Dates, ScalarType,
    ::testing::Values(Case{"2001-01-02", "date 2001-01-02"}, Case{"2001-1-2", "str 2001-1-2"},
                      Case{"2001-1-2 3:04:05", "datetime 2001-01-02T03:04:05"},
                      Case{"2001-01-02t03:04:05.1234567 -5:30", "datetime 2001-01-02T03:04:05.123456-05:30"},
                      Case{"2001-01-02T03:04:05Z", "datetime 2001-01-02T03:04:05+00:00"},
                      Case{"2001-01-02T03:04", "str 2001-01-02T03:04"}, Case{"2004-02-29", "date 2004-02-29"}));

INSTANTIATE_TEST_SUITE_P(
    Tags, ScalarType,
    ::testing::Values(Case{"!!str 5", "str 5"}, Case{"!!int '0o17'", "int 15"}, Case{"!!int ' 7 '", "int 7"},
                      Case{"!!float 1", "float 1.0"}, Case{"!!float ' -INF'", "float -.inf"},
                      Case{"!!bool 'yes'", "bool true"}, Case{"!!null x", "null"},
                      Case{"!!binary aGVs\\nbG8=", "bytes hel\x9D\xB1\xBC"}, Case{"!!binary aGVsbG8=", "bytes hello"},
                      Case{"!!timestamp 2001-1-2", "date 2001-01-02"}, Case{"! 5", "int 5"}, Case{"! '5'", "int 5"},
                      Case{"!!set {a, b}", "set !!set {a, b}"}, Case{"!!omap [a: 1]", "list [[a, 1]]"},
                      Case{"!<tag:yaml.org,2002:str> 5", "str 5"}));

INSTANTIATE_TEST_SUITE_P(
    Texts, ScalarType,
    ::testing::Values(Case{"a b  c", "str a b  c"}, Case{"http://x:80/y#z", "str http://x:80/y#z"},
                      Case{"x #y", "str x"}, Case{"'it''s'", "str it's"},
                      Case{R"("\x41\u00e9\U0001F600\/")", "str Aé😀/"}, Case{"\"a\n  b\\\n  c\n\n  d\"", "str a bc\nd"},
                      Case{"a\n  b\n\n  c", "str a b\nc"}, Case{"|\n  a\n   b\n\n  c\n", "str a\n b\n\nc\n"},
                      Case{">\n  a\n  b\n\n  c\n   d\n  e\n", "str a b\nc\n d\ne\n"}, Case{"|-\n  a\n\n", "str a"},
                      Case{"|+\n  a\n\n", "str a\n\n\n"}, Case{"|2\n   a\n", "str  a\n"}, Case{"\"a\tb\"", "str a\tb"},
                      Case{"|\n  a\tb\n", "str a\tb\n"}));

struct Refused {
  std::string_view text;
  std::string_view rule_and_place;
};

void PrintTo(const Refused& example, std::ostream* out) { *out << example.text; }

class RefusedScalar : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedScalar, IsRefusedAtItsPlace) {
  EXPECT_EQ(refusal("v: " + std::string(GetParam().text) + "\n"), GetParam().rule_and_place);
}

INSTANTIATE_TEST_SUITE_P(
    Values, RefusedScalar,
    ::testing::Values(Refused{"2001-13-45", "bad-value@1:4"}, Refused{"2001-02-29", "bad-value@1:4"},
                      Refused{"2001-01-01 00:00:00 +24:00", "bad-value@1:4"}, Refused{"!!int x", "bad-value@1:10"},
                      Refused{"!!int", "bad-value@1:4"}, Refused{"!!bool maybe", "bad-value@1:11"},
                      Refused{"!!float 1.2.3", "bad-value@1:12"}, Refused{"!!binary a", "bad-value@1:13"},
                      Refused{"!!str {a: 1}", "bad-value@1:10"}, Refused{"!!map [a]", "bad-value@1:10"},
                      Refused{"!!omap {a: 1}", "bad-value@1:11"}, Refused{"!!pairs [a]", "bad-value@1:13"},
                      Refused{"0b_", "bad-value@1:4"}, Refused{"=", "unknown-tag@1:4"},
                      Refused{"<<", "unknown-tag@1:4"}, Refused{"!foo 1", "unknown-tag@1:4"},
                      Refused{"!!python/tuple [1]", "unknown-tag@1:4"}, Refused{"\"\\q\"", "invalid-yaml@1:7"},
                      Refused{"\"abc", "invalid-yaml@1:4"}, Refused{"@x", "invalid-yaml@1:4"},
                      Refused{"%x", "invalid-yaml@1:4"}));

TEST(ScalarTypes, IntegersBeyondPythonsDigitLimitAreRefused) {
  EXPECT_EQ(refusal("v: " + std::string(4301, '9')), "bad-value@1:4");
  EXPECT_EQ(typed(std::string(4300, '9')), "big " + std::string(4300, '9'));
}

TEST(ScalarTypes, ALargeExponentDoesNotMakeALargeNumber) {
  const std::string small = "0." + std::string(500, '0') + "1";
  EXPECT_EQ(typed(small + "e+100"), "float 0.0");
  EXPECT_EQ(typed(small + "e+502"), "float 10.0");
  EXPECT_EQ(typed(small + "e+900"), "float .inf");
}

TEST(ScalarTypes, LongValuesAreQuotedUpToTheEndOfACharacter) {
  std::string text = "v: !!int x";
  for (int i = 0; i < 200; ++i) text += "\xC3\xA9";
  try {
    static_cast<void>(parse(text));
    ADD_FAILURE() << "not refused";
  } catch (const LoadError& error) {
    EXPECT_NE(error.finding().message.find("\xC3\xA9...'"), std::string::npos) << error.finding().message;
  }
}

TEST(ScalarTypes, RawKeepsWhatWasWritten) {
  const ParsedYaml parsed = parse("a: 0x10\nb: text\n");
  EXPECT_EQ(parsed.root->get("a")->raw, "0x10");
  EXPECT_EQ(parsed.root->get("b")->raw, "");
}

}  // namespace
}  // namespace primus_plan::test
