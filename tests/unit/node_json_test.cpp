#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "primus_plan/report/node_text.h"
#include "support/nodes.h"

namespace primus_plan::test {
namespace {

TEST(NodeJson, NumbersKeepTheirType) {
  EXPECT_EQ(node_to_json(*make_integer(1)), "1");
  EXPECT_EQ(node_to_json(*make_real(1.0)), "1.0");
  EXPECT_EQ(node_to_json(*make_real(-0.0)), "-0.0");
  EXPECT_EQ(node_to_json(*make_real(1e-5)), "1e-05");
  EXPECT_EQ(node_to_json(*make_real(1e16)), "1e+16");
  EXPECT_EQ(node_to_json(*make_real(0.1)), "0.1");
  EXPECT_EQ(node_to_json(*make_integer(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(node_to_json(*scalar(Kind::big_integer, "-123456789012345678901234567890")),
            "-123456789012345678901234567890");
}

TEST(NodeJson, WhatJsonLacksIsAnObjectOfOneKey) {
  EXPECT_EQ(node_to_json(*make_real(INFINITY)), R"({"$float": "inf"})");
  EXPECT_EQ(node_to_json(*make_real(-INFINITY)), R"({"$float": "-inf"})");
  EXPECT_EQ(node_to_json(*make_real(NAN)), R"({"$float": "nan"})");
  EXPECT_EQ(node_to_json(*scalar(Kind::date, "2001-01-01")), R"({"$date": "2001-01-01"})");
  EXPECT_EQ(node_to_json(*scalar(Kind::datetime, "2001-01-01T12:00:00")), R"({"$datetime": "2001-01-01T12:00:00"})");
  EXPECT_EQ(node_to_json(*scalar(Kind::bytes, std::string("he\xff\0", 4))), R"({"$bytes": "6865ff00"})");
  EXPECT_EQ(node_to_json(*collection(Kind::tuple, {make_string("x"), make_integer(1)})), R"({"$tuple": ["x", 1]})");
  EXPECT_EQ(node_to_json(*collection(Kind::set, {make_string("x")})), R"({"$set": ["x"]})");
}

TEST(NodeJson, MappingWithOtherKeysIsAListOfPairs) {
  const auto value = nlohmann::json::parse(
      node_to_json(*mapping({{make_boolean(true), make_integer(1)}, {make_string("a"), make_null()}})));
  EXPECT_EQ(value, nlohmann::json::parse(R"({"$map": [[true, 1], ["a", null]]})"));
}

TEST(NodeJson, KeepsTheOrderOfKeys) {
  EXPECT_EQ(node_to_json(*mapping({{make_string("b"), make_integer(1)}, {make_string("a"), make_integer(2)}})),
            "{\n  \"b\": 1,\n  \"a\": 2\n}");
}

TEST(NodeJson, TextIsEscapedAndAlwaysUtf8) {
  EXPECT_EQ(node_to_json(*make_string("\"\\\n\t\x01 größer \U0001F600")),
            "\"\\\"\\\\\\n\\t\\u0001 größer \U0001F600\"");
  EXPECT_EQ(node_to_json(*make_string("a\xff")), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(node_to_json(*make_string("\xED\xA0\x80")), "\"\\ud800\"") << "a lone surrogate, as Python keeps it";
  EXPECT_EQ(node_to_json(*make_string("\u202E")), "\"\\u202e\"") << "would turn the terminal's text around";
}

}  // namespace
}  // namespace primus_plan::test
