// Places of keys and values: 1-based lines and columns in code points, the length of the token on its line.

#include <gtest/gtest.h>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

TEST(YamlOrigins, KeysAndValues) {
  const ParsedYaml parsed = parse("batch: 8\nname: \"a b\"  # comment\nlist:\n  - x\n  - 'it''s'\n");
  const Node& root = *parsed.root;
  EXPECT_EQ(place(root.find("batch")->key_origin), "1:1+5");
  EXPECT_EQ(place(root.get("batch")->origin), "1:8+1");
  EXPECT_EQ(place(root.get("name")->origin), "2:7+5");
  EXPECT_TRUE(root.get("name")->quoted);
  EXPECT_FALSE(root.get("batch")->quoted);
  EXPECT_EQ(place(root.get("list")->items[0]->origin), "4:5+1");
  EXPECT_EQ(place(root.get("list")->items[1]->origin), "5:5+7");
  EXPECT_EQ(root.get("batch")->origin.source, parsed.source.get());
  EXPECT_EQ(root.get("batch")->origin.layer, Layer::experiment);
  EXPECT_EQ(to_string(root.get("name")->origin), "test.yaml:2:7");
}

TEST(YamlOrigins, ColumnsCountCodePoints) {
  const ParsedYaml parsed = parse("größe: é漢😀\n\"ключ\": {é: [1, 漢, 3]}\n");
  const Node& root = *parsed.root;
  EXPECT_EQ(place(root.find("größe")->key_origin), "1:1+5");
  EXPECT_EQ(place(root.get("größe")->origin), "1:8+3");
  const Node* inner = root.get("ключ");
  EXPECT_EQ(place(inner->origin), "2:9+14");
  EXPECT_EQ(place(inner->get("é")->items[2]->origin), "2:20+1");
}

TEST(YamlOrigins, ByteOrderMarkTakesNoColumn) {
  const ParsedYaml parsed = parse(
      "\xEF\xBB\xBF"
      "a: 1\n");
  EXPECT_EQ(place(parsed.root->find("a")->key_origin), "1:1+1");
  EXPECT_EQ(place(parsed.root->get("a")->origin), "1:4+1");
}

TEST(YamlOrigins, AnchorsAndTagsStandBeforeTheValue) {
  const ParsedYaml parsed = parse("a: &x !!str 5\nb: !!map\n  k: 1\n");
  EXPECT_EQ(place(parsed.root->get("a")->origin), "1:13+1");
  EXPECT_EQ(place(parsed.root->get("b")->origin), "3:3+1");
}

TEST(YamlOrigins, LongValuesEndWithTheirLine) {
  const ParsedYaml parsed = parse("a: one\n  two\nb: |\n  text\nc: \"x\n  y\"\nd: [1,\n  2]\n");
  EXPECT_EQ(place(parsed.root->get("a")->origin), "1:4+3");
  EXPECT_EQ(place(parsed.root->get("b")->origin), "3:4+1");
  EXPECT_TRUE(parsed.root->get("b")->quoted);
  EXPECT_EQ(place(parsed.root->get("c")->origin), "5:4+2");
  EXPECT_EQ(place(parsed.root->get("d")->origin), "7:4+1");
}

TEST(YamlOrigins, EmptyValuesStandAfterTheirColon) {
  const ParsedYaml parsed = parse("a:\nb: {c: , d}\n");
  EXPECT_EQ(place(parsed.root->get("a")->origin), "1:3+0");
  EXPECT_EQ(place(parsed.root->at_path("b.c")->origin), "2:7+0");
}

TEST(YamlOrigins, LinesAreCountedAcrossAllLineBreaks) {
  const ParsedYaml parsed = parse("a: 1\r\nb: 2\rc: 3\nd: 4\n");
  EXPECT_EQ(place(parsed.root->get("d")->origin), "4:4+1");
  EXPECT_EQ(parsed.source->line(2), "b: 2");
  EXPECT_EQ(parsed.source->line(5), "");
}

}  // namespace
}  // namespace primus_plan::test
