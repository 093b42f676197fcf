// The laws of merging, and that no merge forgets what it replaced.

#include <gtest/gtest.h>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

std::string merged(std::string base, std::string overlay) {
  return to_text(*deep_merge(parse(std::move(base)).root, parse(std::move(overlay)).root));
}

TEST(DeepMerge, MappingsKeyByKeyAndAnythingElseReplaces) {
  EXPECT_EQ(merged("a: 1\nm: {x: 1, z: {p: 1, q: 2}}\nl: [1, 2]", "m: {x: 2, z: {q: 3}}\nl: [9]\nn: 5"),
            "{a: 1, m: {x: 2, z: {p: 1, q: 3}}, l: [9], n: 5}");
  EXPECT_EQ(merged("m: {x: 1}", "m: ~"), "{m: null}");
  EXPECT_EQ(merged("m: {x: 1}", "m: {}"), "{m: {x: 1}}");
  EXPECT_EQ(merged("m: 5", "m: {k: 1}"), "{m: {k: 1}}");
}

TEST(DeepMerge, IsAssociativeAndHasAnIdentity) {
  const auto a = parse("k: 1\nm: {x: 1, w: {p: 1}}\n");
  const auto b = parse("m: {w: {q: 2}, x: ~}\nl: [1]\n");
  const auto c = parse("m: {w: {p: 3}}\nl: {u: 1}\nk: {d: 1}\n");
  const auto empty = parse("{}");
  const auto left = deep_merge(deep_merge(a.root, b.root), c.root);
  const auto right = deep_merge(a.root, deep_merge(b.root, c.root));
  EXPECT_EQ(to_text(*left), to_text(*right));
  EXPECT_TRUE(same_value(*deep_merge(a.root, empty.root), *a.root));
  EXPECT_TRUE(same_value(*deep_merge(empty.root, a.root), *a.root));
  EXPECT_TRUE(same_value(*deep_merge(a.root, a.root), *a.root));
}

TEST(DeepMerge, KeysThatPythonFindsEqualMeet) { EXPECT_EQ(merged("1: a\n", "true: b\n"), "{1: b}"); }

TEST(DeepMerge, KeepsTheHistoryNewestFirst) {
  const auto a = parse("m:\n  x: 1\n");
  const auto b = parse("m:\n  x: 2\n  x: 3\n");
  const auto root = deep_merge(a.root, b.root);
  const Assignment* at = root->entry_at_path("m.x")->history.get();
  std::string values;
  for (; at != nullptr; at = at->previous.get()) values += to_text(*at->value) + " ";
  EXPECT_EQ(values, "3 2 1 ");
  EXPECT_EQ(root->find("m")->history->value, b.root->find("m")->value);
  EXPECT_EQ(root->find("m")->history->previous->value, a.root->find("m")->value);
  EXPECT_EQ(to_text(*a.root), "{m: {x: 1}}") << "the base is not touched";
}

TEST(MergeWithoutOverride, AddsMissingKeysAndRemembersTheLosers) {
  const auto base = parse("a: 1\nm: {x: 1}\n");
  const auto extra = parse("a: 2\nm: {z: 2}\nb: 3\n");
  const auto root = merge_without_override(base.root, extra.root);
  EXPECT_EQ(to_text(*root), "{a: 1, m: {x: 1}, b: 3}");
  const Assignment& lost = *root->find("a")->history;
  EXPECT_FALSE(lost.kept);
  EXPECT_EQ(to_text(*lost.value), "2");
  EXPECT_TRUE(lost.previous->kept);
  EXPECT_EQ(to_text(*lost.previous->value), "1");
  EXPECT_TRUE(root->find("b")->history->kept);
}

}  // namespace
}  // namespace primus_plan::test
