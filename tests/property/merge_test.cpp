// The laws of merging, for trees of any shape.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

/// A mapping in flow style. Where `kinds_agree`, keys m… hold mappings alone and keys v… none, in every tree.
std::string any_mapping(int depth, bool kinds_agree) {
  std::string text = "{";
  for (const char* name : {"a", "b", "c"}) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    const bool is_mapping = depth > 0 && *rc::gen::arbitrary<bool>();
    const std::string prefix = kinds_agree ? (is_mapping ? "m" : "v") : "";
    text += (text.size() > 1 ? ", " : "") + prefix + name + ": ";
    text += is_mapping ? any_mapping(depth - 1, kinds_agree)
                       : *rc::gen::element<std::string>("1", "2", "null", "text", "[1, 2]", "3.5");
  }
  return text + "}";
}

/// Every value of the overlay that is no mapping stands in the result, with its place.
void holds_all_of(const Node& overlay, const Node& result) {
  for (const Entry& entry : overlay.entries()) {
    const Node* there = result.get(entry.key->text);
    RC_ASSERT(there != nullptr);
    if (entry.value->is_mapping()) {
      RC_ASSERT(there->is_mapping());
      holds_all_of(*entry.value, *there);
    } else {
      RC_ASSERT(same_value(*entry.value, *there));
      RC_ASSERT(there->origin == entry.value->origin);
    }
  }
}

/// Nothing of the base is lost: it is in the result, or in the history of what replaced it.
void remembers(const Node& base, const Node& result) {
  for (const Entry& entry : base.entries()) {
    const Entry* there = result.find(entry.key->text);
    RC_ASSERT(there != nullptr);
    if (entry.value->is_mapping() && there->value->is_mapping()) {
      remembers(*entry.value, *there->value);
      continue;
    }
    bool found = false;
    for (AssignmentPtr one = there->history; one != nullptr; one = one->previous) {
      found = found || one->value->origin == entry.value->origin;
    }
    RC_ASSERT(found);
  }
}

RC_GTEST_PROP(Merge, LaterWinsAndNothingIsForgotten, ()) {
  const ParsedYaml base = parse(any_mapping(3, false));
  const ParsedYaml overlay = parse(any_mapping(3, false));
  const NodePtr result = deep_merge(base.root, overlay.root);
  holds_all_of(*overlay.root, *result);
  remembers(*base.root, *result);
  remembers(*overlay.root, *result);
}

RC_GTEST_PROP(Merge, GroupsAsItLikesWhereKindsAgree, ()) {
  const ParsedYaml a = parse(any_mapping(3, true));
  const ParsedYaml b = parse(any_mapping(3, true));
  const ParsedYaml c = parse(any_mapping(3, true));
  const NodePtr left = deep_merge(deep_merge(a.root, b.root), c.root);
  const NodePtr right = deep_merge(a.root, deep_merge(b.root, c.root));
  RC_ASSERT(same_value(*left, *right));
  RC_ASSERT(same_value(*deep_merge(a.root, a.root), *a.root));
  RC_ASSERT(same_value(*deep_merge(a.root, parse("{}").root), *a.root));
}

RC_GTEST_PROP(Merge, WithoutOverrideTheBaseWins, ()) {
  const ParsedYaml base = parse(any_mapping(2, false));
  const ParsedYaml extra = parse(any_mapping(2, false));
  const NodePtr result = merge_without_override(base.root, extra.root);
  for (const Entry& entry : base.root->entries()) {
    RC_ASSERT(same_value(*entry.value, *result->get(entry.key->text)));
  }
  for (const Entry& entry : extra.root->entries()) {
    const Entry* there = result->find(entry.key->text);
    RC_ASSERT(there != nullptr);
    bool found = false;
    for (AssignmentPtr one = there->history; one != nullptr; one = one->previous)
      found = found || one->value == entry.value;
    RC_ASSERT(found);
  }
}

}  // namespace
}  // namespace primus_plan::test
