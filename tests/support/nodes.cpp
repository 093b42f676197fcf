#include "support/nodes.h"

namespace primus_plan::test {

NodePtr scalar(Kind kind, std::string text) {
  Node node;
  node.kind = kind;
  node.text = std::move(text);
  return std::make_shared<const Node>(std::move(node));
}

NodePtr collection(Kind kind, std::vector<NodePtr> items) {
  Node node;
  node.kind = kind;
  node.items = std::move(items);
  return std::make_shared<const Node>(std::move(node));
}

NodePtr mapping(const std::vector<std::pair<NodePtr, NodePtr>>& pairs) {
  std::vector<Entry> entries;
  for (const auto& [key, value] : pairs) {
    const auto history =
        std::make_shared<const Assignment>(Assignment{.value = value, .key_origin = key->origin, .previous = nullptr});
    entries.push_back({.key = key, .value = value, .key_origin = key->origin, .history = history});
  }
  Node node;
  node.kind = Kind::mapping;
  node.set_entries(std::move(entries));
  return std::make_shared<const Node>(std::move(node));
}

}  // namespace primus_plan::test
