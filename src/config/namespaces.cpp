#include "config/namespaces.h"

#include <algorithm>

#include "primus_plan/config/document.h"

namespace primus_plan {
namespace {

bool is_null_text(const Node& node) { return node.is_string() && node.text == "null"; }

NodePtr null_at(const Node& text) {
  Node node;
  node.origin = text.origin;
  node.raw = text.raw.empty() ? text.text : text.raw;
  node.environment = text.environment;
  return std::make_shared<const Node>(std::move(node));
}

/// `merged` with the "null" texts of its mappings as null, where `base` has those mappings already; the same pointer
/// when there are none.
NodePtr assign_nulls(const NodePtr& merged, const Node& base) {
  std::vector<Entry> changed;
  const std::vector<Entry>& entries = merged->entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    NodePtr value;
    if (is_null_text(*entry.value)) {
      value = null_at(*entry.value);
    } else if (entry.value->is_mapping()) {
      const Node* old = entry.key->is_string() ? base.get(entry.key->text) : nullptr;
      if (old == nullptr || !old->is_mapping()) continue;
      value = assign_nulls(entry.value, *old);
      if (value == entry.value) continue;
    } else {
      continue;
    }
    if (changed.empty()) changed = entries;
    Entry& target = changed[i];
    if (target.history->kept) {
      Assignment assignment = *target.history;
      assignment.value = value;
      target.history = std::make_shared<const Assignment>(std::move(assignment));
    }
    target.value = std::move(value);
  }
  return changed.empty() ? merged : make_mapping(std::move(changed), merged->origin);
}

}  // namespace

const Entry* find_key_that_is_no_text(const Node& node) {
  for (const Entry& entry : node.entries()) {
    if (!entry.key->is_string()) return &entry;
    if (const Entry* inside = find_key_that_is_no_text(*entry.value)) return inside;
  }
  for (const NodePtr& item : node.items) {
    if (const Entry* inside = find_key_that_is_no_text(*item)) return inside;
  }
  return nullptr;
}

NodePtr merge_namespaces(const NodePtr& base, const NodePtr& overlay) {
  return assign_nulls(deep_merge(base, overlay), *base);
}

NodePtr add_to_namespace(const NodePtr& base, const NodePtr& extra) {
  return assign_nulls(merge_without_override(base, extra), *base);
}

NodePtr make_mapping(std::vector<Entry> entries, const Origin& origin) {
  Node node;
  node.origin = origin;
  node.set_entries(std::move(entries));
  return std::make_shared<const Node>(std::move(node));
}

Entry make_entry(std::string_view key, NodePtr value, const Origin& key_origin) {
  auto assignment = std::make_shared<const Assignment>(Assignment{value, key_origin});
  return {make_string(std::string(key), key_origin), std::move(value), key_origin, std::move(assignment)};
}

NodePtr with_entry(const NodePtr& mapping, Entry entry) {
  std::vector<Entry> entries = mapping->entries();
  const auto known = std::ranges::find_if(
      entries, [&](const Entry& other) { return other.key->is_string() && other.key->text == entry.key->text; });
  if (known == entries.end()) {
    entries.push_back(std::move(entry));
  } else {
    Assignment assignment = *entry.history;
    assignment.previous = known->history;
    entry.history = std::make_shared<const Assignment>(std::move(assignment));
    *known = std::move(entry);
  }
  return make_mapping(std::move(entries), mapping->origin);
}

NodePtr without_key(const NodePtr& mapping, std::string_view key) {
  if (mapping->find(key) == nullptr) return mapping;
  std::vector<Entry> entries;
  std::ranges::copy_if(mapping->entries(), std::back_inserter(entries),
                       [&](const Entry& entry) { return !entry.key->is_string() || entry.key->text != key; });
  return make_mapping(std::move(entries), mapping->origin);
}

}  // namespace primus_plan
