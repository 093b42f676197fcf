#include <optional>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "primus_plan/config/document.h"

namespace primus_plan {
namespace {

/// The chain `newer` with `older` put at its end; `kept` of the newer part cleared when it lost.
AssignmentPtr join(const AssignmentPtr& newer, const AssignmentPtr& older, bool newer_lost) {
  std::vector<const Assignment*> chain;
  for (const Assignment* at = newer.get(); at != nullptr; at = at->previous.get()) chain.push_back(at);
  AssignmentPtr result = older;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    Assignment copy = **at;
    if (newer_lost) copy.kept = false;
    copy.previous = result;
    result = std::make_shared<const Assignment>(std::move(copy));
  }
  return result;
}

/// Finds keys of a mapping while a copy of its entries grows. Texts use the mapping's own index; the few keys of other
/// types need one of their own.
class BaseKeys {
 public:
  explicit BaseKeys(const Node& base) : base_(base) {}

  std::size_t find(const Node& key) {
    if (key.is_string()) {
      const Entry* entry = base_.find(key.text);
      return entry == nullptr ? KeyIndex::none : static_cast<std::size_t>(entry - base_.entries().data());
    }
    if (!others_) others_.emplace(base_.entries());
    return others_->find(key);
  }

 private:
  const Node& base_;
  std::optional<KeyIndex> others_;
};

NodePtr mapping_like(const Node& base, const Node& model, std::vector<Entry> entries) {
  auto node = std::make_shared<Node>();
  node->origin = model.origin ? model.origin : base.origin;
  node->set_entries(std::move(entries));
  return node;
}

}  // namespace

NodePtr deep_merge(const NodePtr& base, const NodePtr& overlay) {
  if (base == nullptr || !base->is_mapping() || !overlay->is_mapping()) return overlay;
  std::vector<Entry> entries = base->entries();
  BaseKeys index(*base);
  for (const Entry& entry : overlay->entries()) {
    const std::size_t at = index.find(*entry.key);
    if (at == KeyIndex::none) {
      entries.push_back(entry);
      continue;
    }
    Entry& target = entries[at];
    target.value = deep_merge(target.value, entry.value);
    target.key_origin = entry.key_origin;
    target.history = join(entry.history, target.history, false);
  }
  return mapping_like(*base, *overlay, std::move(entries));
}

NodePtr merge_without_override(const NodePtr& base, const NodePtr& extra) {
  if (base == nullptr || !base->is_mapping() || !extra->is_mapping()) return base == nullptr ? extra : base;
  std::vector<Entry> entries = base->entries();
  BaseKeys index(*base);
  for (const Entry& entry : extra->entries()) {
    const std::size_t at = index.find(*entry.key);
    if (at == KeyIndex::none) {
      entries.push_back(entry);
    } else {
      entries[at].history = join(entry.history, entries[at].history, true);
    }
  }
  return mapping_like(*extra, *base, std::move(entries));
}

}  // namespace primus_plan
