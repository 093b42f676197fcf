// `extends`, as Primus's _apply_extends resolves it.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

MemoryFiles files_with(std::string main) {
  MemoryFiles files;
  files.put("main.yaml", std::move(main));
  files.put("base.yaml", "a: 1\nm: {x: 1, z: {p: 1}}\n");
  files.put("more.yaml", "a: 2\nm: {x: 2}\n");
  files.put("sub/nested.yaml", "extends: ../base.yaml\nm: {z: {q: 3}}\n");
  files.put("list.yaml", "- 1\n");
  files.put("number.yaml", "5\n");
  files.put("empty.yaml", "# nothing\n");
  files.put("one.yaml", "extends: two.yaml\n");
  files.put("two.yaml", "extends: one.yaml\n");
  return files;
}

std::string loaded(std::string main, const Environment& environment = {}) {
  return to_text(*load_document("main.yaml", Layer::experiment, files_with(std::move(main)), environment).root);
}

std::string refused(std::string main) { return load_refusal(files_with(std::move(main))); }

TEST(Extends, ScalarListAndNesting) {
  EXPECT_EQ(loaded("extends: base.yaml\nb: 1\n"), "{a: 1, m: {x: 1, z: {p: 1}}, b: 1}");
  EXPECT_EQ(loaded("extends: [base.yaml, more.yaml]\n"), "{a: 2, m: {x: 2, z: {p: 1}}}");
  EXPECT_EQ(loaded("extends: sub/nested.yaml\nm: {x: 5}\n"), "{a: 1, m: {x: 5, z: {p: 1, q: 3}}}");
  EXPECT_EQ(loaded("extends: [base.yaml, base.yaml]\n"), "{a: 1, m: {x: 1, z: {p: 1}}}");
  EXPECT_EQ(loaded("extends: {base.yaml: 1}\n"), "{a: 1, m: {x: 1, z: {p: 1}}}");
  EXPECT_EQ(loaded("extends: []\na: 7\n"), "{a: 7}");
}

TEST(Extends, VariablesAreReplacedFirst) {
  Environment environment;
  environment.set("PRESET", "more");
  EXPECT_EQ(loaded("extends: ${PRESET:base}.yaml\n", environment), "{a: 2, m: {x: 2}}");
  EXPECT_EQ(loaded("extends: ${PRESET:base}.yaml\n"), "{a: 1, m: {x: 1, z: {p: 1}}}");
}

TEST(Extends, HistoriesCrossFiles) {
  const Document document =
      load_document("main.yaml", Layer::module_preset, files_with("extends: base.yaml\na: 9\n"), {});
  const Entry* a = document.root->find("a");
  EXPECT_EQ(to_string(a->key_origin), "main.yaml:2:1");
  EXPECT_EQ(to_string(a->history->previous->key_origin), "base.yaml:1:1");
  EXPECT_EQ(a->value->origin.layer, Layer::module_preset);
  EXPECT_EQ(document.sources.size(), 2U);
}

TEST(Extends, Refusals) {
  EXPECT_EQ(refused("a: 1\nextends: nope.yaml\n"), "extends-missing@2:10");
  EXPECT_EQ(refused("extends: base\n"), "extends-missing@1:10");
  EXPECT_EQ(refused("extends: sub\n"), "unreadable-file@1:10");
  EXPECT_EQ(refused("extends: ~\n"), "bad-extends@1:10");
  EXPECT_EQ(refused("extends: [base.yaml, 1]\n"), "bad-extends@1:22");
  EXPECT_EQ(refused("extends: list.yaml\n"), "root-not-a-mapping@1:1");
  EXPECT_EQ(refused("extends: number.yaml\n"), "root-not-a-mapping@1:1");
  EXPECT_EQ(refused("extends: empty.yaml\n"), "empty-document@1:1");
  EXPECT_EQ(refused("- extends\n"), "root-not-a-mapping@1:1");
}

TEST(Extends, RootsThatAreNoMappingPassAsInPrimusWhenTheyDoNotMentionExtends) {
  EXPECT_EQ(loaded("a:1\n"), "a:1");
  EXPECT_EQ(loaded("- 1\n"), "[1]");
}

TEST(Extends, ACycleShowsItself) {
  const MemoryFiles files = files_with("extends: one.yaml\n");
  try {
    load_document("main.yaml", Layer::experiment, files, {});
    FAIL() << "a cycle was accepted";
  } catch (const LoadError& error) {
    EXPECT_EQ(error.finding().rule->name, "extends-cycle");
    EXPECT_NE(error.finding().message.find("main.yaml -> one.yaml -> two.yaml -> one.yaml"), std::string::npos);
    EXPECT_EQ(to_string(error.finding().primary.origin), "two.yaml:1:10");
  }
}

TEST(Extends, ACircleMayBeWrittenInManyWays) {
  EXPECT_EQ(refused("extends: ./main.yaml\n"), "extends-cycle@1:10");
  EXPECT_EQ(refused("extends: sub/../main.yaml\n"), "extends-cycle@1:10");
}

TEST(Extends, AFileMayBeExtendedByTwoWaysButNotWithoutEnd) {
  MemoryFiles files;
  for (int i = 0; i < 25; ++i) {
    files.put(fmt::format("f{}.yaml", i), fmt::format("extends: [f{}.yaml, f{}.yaml]\n", i + 1, i + 1));
  }
  files.put("f25.yaml", "a: 1\n");
  files.put("main.yaml", "extends: [f24.yaml, f25.yaml]\n");
  EXPECT_EQ(load_refusal(files), "accepted");
  files.put("main.yaml", "extends: f0.yaml\n");
  EXPECT_EQ(load_refusal(files).substr(0, 14), "limit-exceeded");
}

TEST(Extends, LongChainsAreBounded) {
  MemoryFiles files;
  files.put("main.yaml", "extends: f0.yaml\n");
  for (int i = 0; i < 50; ++i) files.put(fmt::format("f{}.yaml", i), fmt::format("extends: f{}.yaml\n", i + 1));
  EXPECT_EQ(load_refusal(files), "limit-exceeded@1:10");
}

TEST(Extends, TheFindingOutlivesTheLoading) {
  try {
    load_document("main.yaml", Layer::experiment, files_with("a: [\n"), {});
    FAIL() << "accepted";
  } catch (const LoadError& error) {
    ASSERT_EQ(error.sources().size(), 1U);
    EXPECT_EQ(error.finding().primary.origin.source, error.sources()[0].get());
  }
}

}  // namespace
}  // namespace primus_plan::test
