// Mappings, merge keys, aliases and whole documents, as PyYAML 6.0 composes and constructs them.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

std::string text_of(std::string yaml) { return to_text(*parse(std::move(yaml)).root); }

TEST(YamlDocument, MergeKeysGiveWayToOwnKeysAndEarlierMappingsWin) {
  EXPECT_EQ(text_of("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc:\n  <<: [*a, *b]\n  z: 3\n"),
            "{a: {x: 1}, b: {x: 2, y: 2}, c: {x: 1, y: 2, z: 3}}");
  EXPECT_EQ(text_of("a: &a {m: {x: 1}}\nc:\n  m: {z: 2}\n  <<: *a\n"), "{a: {m: {x: 1}}, c: {m: {z: 2}}}");
  EXPECT_EQ(text_of("d:\n  <<: {q: 1}\n"), "{d: {q: 1}}");
}

TEST(YamlDocument, MergedKeysKeepTheirHistory) {
  const ParsedYaml parsed = parse("a: &a\n  x: 1\nb:\n  <<: *a\n  x: 2\n");
  const Entry* x = parsed.root->entry_at_path("b.x");
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(place(x->key_origin), "5:3+1");
  ASSERT_NE(x->history->previous, nullptr);
  EXPECT_EQ(place(x->history->previous->key_origin), "2:3+1");
  EXPECT_TRUE(parsed.remarks.empty()) << "overriding a merged key is what merge keys are for";
}

TEST(YamlDocument, TheLastOfTwoEqualKeysWinsInTheFirstOnesPlaceWithARemark) {
  const ParsedYaml parsed = parse("a: 1\nb: 2\na: 3\n");
  EXPECT_EQ(to_text(*parsed.root), "{a: 3, b: 2}");
  ASSERT_EQ(parsed.remarks.size(), 1U);
  const Finding& remark = parsed.remarks[0];
  EXPECT_EQ(remark.rule->name, "duplicate-key");
  EXPECT_EQ(remark.severity, Severity::warning);
  EXPECT_EQ(place(remark.primary.origin), "3:1+1");
  ASSERT_EQ(remark.related.size(), 1U);
  EXPECT_EQ(place(remark.related[0].origin), "1:1+1");
  const Entry* entry = parsed.root->find("a");
  EXPECT_EQ(to_text(*entry->history->value), "3");
  EXPECT_EQ(to_text(*entry->history->previous->value), "1");
}

TEST(YamlDocument, KeysThatPythonFindsEqualAreOneKey) {
  EXPECT_EQ(text_of("1: a\n1.0: b\ntrue: c\n'1': d\n"), "{1: c, \"1\": d}");
}

TEST(YamlDocument, ManyKeysAreFoundAndCheckedForDuplicates) {
  std::string yaml;
  for (int i = 0; i < 5000; ++i) yaml += fmt::format("key{}: {}\n", i, i);
  const ParsedYaml parsed = parse(yaml + "key1234: again\n");
  ASSERT_EQ(parsed.root->entries().size(), 5000U);
  EXPECT_EQ(parsed.root->get("key1234")->text, "again");
  EXPECT_EQ(parsed.root->get("key4999")->integer, 4999);
  EXPECT_EQ(parsed.root->get("key5000"), nullptr);
  EXPECT_EQ(parsed.remarks.size(), 1U);
}

TEST(YamlDocument, AliasesShareTheValueButHaveTheirOwnPlace) {
  const ParsedYaml parsed = parse("a: &x [1, 2]\nb: *x\nc: &k name\n*k : 4\n");
  EXPECT_EQ(to_text(*parsed.root), "{a: [1, 2], b: [1, 2], c: name, name: 4}");
  const Node* a = parsed.root->get("a");
  const Node* b = parsed.root->get("b");
  EXPECT_EQ(place(a->origin), "1:7+6");
  EXPECT_EQ(place(b->origin), "2:4+2");
  EXPECT_EQ(a->items[0], b->items[0]);
  EXPECT_EQ(place(parsed.root->find("name")->key_origin), "4:1+2");
}

TEST(YamlDocument, LineBreaksAndByteOrderMark) {
  EXPECT_EQ(text_of("a: 1\r\nb:\r\n  - x\r\n"), "{a: 1, b: [x]}");
  EXPECT_EQ(text_of("a: 1\rb: 2\r"), "{a: 1, b: 2}");
  EXPECT_EQ(text_of("\xEF\xBB\xBF"
                    "a: 1\n"),
            "{a: 1}");
  EXPECT_EQ(text_of("a: |\r\n  x\r\n  z\r\n"), "{a: \"x\\nz\\n\"}");
  EXPECT_EQ(text_of("a: 1"), "{a: 1}");
}

TEST(YamlDocument, EmptyDocumentsAreNull) {
  EXPECT_TRUE(parse("").root->is_null());
  EXPECT_TRUE(parse("# only a comment\n").root->is_null());
  EXPECT_TRUE(parse("---\n").root->is_null());
}

TEST(YamlDocument, SeveralDocumentsAreRefusedInOneFileButCanBeSplit) {
  const std::string two = "a: 1\n---\nb: 2\n...\n---\n- 3\n";
  EXPECT_EQ(refusal(two), "several-documents@2:1");
  const Source source("two.yaml", two);
  Remarks remarks;
  const auto documents = parse_yaml_documents(source, Layer::experiment, {}, remarks);
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(to_text(*documents[0]), "{a: 1}");
  EXPECT_EQ(to_text(*documents[1]), "{b: 2}");
  EXPECT_EQ(to_text(*documents[2]), "[3]");
  EXPECT_EQ(place(documents[1]->find("b")->key_origin), "3:1+1");
}

struct Refused {
  std::string text;
  std::string_view rule_and_place;
};

void PrintTo(const Refused& example, std::ostream* out) { *out << example.text; }

class RefusedDocument : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedDocument, NamesTheRuleAndThePlace) { EXPECT_EQ(refusal(GetParam().text), GetParam().rule_and_place); }

INSTANTIATE_TEST_SUITE_P(
    Tabs, RefusedDocument,
    ::testing::Values(Refused{"a:\n\tb: 1\n", "tab-as-separator@2:1"}, Refused{"a:\t1\n", "tab-as-separator@1:3"},
                      Refused{"a: 1\t\n", "tab-as-separator@1:5"}, Refused{"a: x\ty\n", "tab-as-separator@1:5"},
                      Refused{"a: 1\n\t\nb: 2\n", "tab-as-separator@2:1"},
                      Refused{"a: 1\t# c\n", "tab-as-separator@1:5"}, Refused{"a: [1,\t2]\n", "tab-as-separator@1:7"},
                      Refused{"a: [\n\t1]\n", "tab-as-separator@2:1"}));

INSTANTIATE_TEST_SUITE_P(Characters, RefusedDocument,
                         ::testing::Values(Refused{"a: 1\n\fb: 2\n", "invalid-character@2:1"},
                                           Refused{"# \x07\n", "invalid-character@1:3"},
                                           Refused{std::string("a: x\0y\n", 7), "invalid-character@1:5"},
                                           Refused{"a: \xFF\xFE\n", "invalid-character@1:4"},
                                           Refused{"é: \xE9\n", "invalid-character@1:4"},
                                           Refused{"\xFF\xFE"
                                                   "a",
                                                   "invalid-character@1:1"},
                                           Refused{"a: \xED\xA0\x80\n", "invalid-character@1:4"}));

INSTANTIATE_TEST_SUITE_P(
    Structure, RefusedDocument,
    ::testing::Values(Refused{"a: [1, 2\nb: 3\n", "invalid-yaml@1:4"}, Refused{"a: {x: 1\n", "invalid-yaml@1:4"},
                      Refused{"a: {b:[1]}\n", "invalid-yaml@1:6"}, Refused{"a: b: c\n", "invalid-yaml@1:5"},
                      Refused{"a: b\n  c: d\n", "invalid-yaml@2:4"}, Refused{"a: 1\nb\nc: 2\n", "invalid-yaml@2:1"},
                      Refused{"a: 1\nb\n", "invalid-yaml@2:1"}, Refused{"a:\n'x'\n", "invalid-yaml@2:1"},
                      Refused{"a: 'x' y\n", "invalid-yaml@1:8"}, Refused{"a: 1\n%b: 2\n", "invalid-yaml@2:1"},
                      Refused{"a: 1\n- b\n", "invalid-yaml@2:1"}, Refused{": a\n", "bad-key@1:1"},
                      Refused{"a: [1, , 2]\n", "invalid-yaml@1:8"}, Refused{"[a, b]: 1\n", "bad-key@1:1"},
                      Refused{"{{ x }}: 1\n", "bad-key@1:2"}, Refused{"\"a\n b\": 1\n", "invalid-yaml@1:1"},
                      Refused{"%YAML 1.1\na: 1\n", "invalid-yaml@2:1"},
                      Refused{"%YAML 2.0\n---\na: 1\n", "invalid-yaml@1:1"},
                      Refused{"a: |x\n  y\n", "invalid-yaml@1:5"}, Refused{"!e[]\n", "unknown-tag@1:1"},
                      Refused{"a: !e[1, 2]\n", "unknown-tag@1:4"}, Refused{"a: !!seq[]\n", "unknown-tag@1:4"},
                      Refused{"a: !e{b: 1}\n", "invalid-yaml@1:4"}));

INSTANTIATE_TEST_SUITE_P(
    Aliases, RefusedDocument,
    ::testing::Values(Refused{"a: *nope\n", "bad-alias@1:4"}, Refused{"a: &x 1\nb: &x 2\n", "bad-alias@2:4"},
                      Refused{"a: &x [*x]\n", "bad-alias@1:8"}, Refused{"a: &x\n  b: *x\n", "bad-alias@2:6"},
                      Refused{"d:\n  <<: 5\n", "bad-merge-key@2:7"}, Refused{"d:\n  <<: [5]\n", "bad-merge-key@2:8"}));

}  // namespace
}  // namespace primus_plan::test
