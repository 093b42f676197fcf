#include "primus_plan/config/node.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace primus_plan {
namespace {

/// Smaller mappings are searched one by one, which is as fast and needs no index.
constexpr std::size_t index_from = 12;

std::shared_ptr<Node> make(Kind kind, Origin origin) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->origin = origin;
  return node;
}

bool same_items(const Node& a, const Node& b) {
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const NodePtr& x, const NodePtr& y) { return same_value(*x, *y); });
}

bool same_members(const Node& a, const Node& b) {
  return a.items.size() == b.items.size() && std::all_of(a.items.begin(), a.items.end(), [&](const NodePtr& x) {
           return std::any_of(b.items.begin(), b.items.end(), [&](const NodePtr& y) { return same_value(*x, *y); });
         });
}

const Node* value_of_key(const Node& mapping, const Node& key) {
  if (key.is_string()) return mapping.get(key.text);
  for (const Entry& entry : mapping.entries()) {
    if (same_value(*entry.key, key)) return entry.value.get();
  }
  return nullptr;
}

bool same_entries(const Node& a, const Node& b) {
  return a.entries().size() == b.entries().size() &&
         std::all_of(a.entries().begin(), a.entries().end(), [&](const Entry& entry) {
           const Node* other = value_of_key(b, *entry.key);
           return other != nullptr && same_value(*entry.value, *other);
         });
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
    case Kind::big_integer:
      return "an integer";
    case Kind::real:
      return "a float";
    case Kind::string:
      return "a string";
    case Kind::date:
      return "a date";
    case Kind::datetime:
      return "a timestamp";
    case Kind::bytes:
      return "binary data";
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      return "a mapping";
    case Kind::set:
      return "a set";
    case Kind::tuple:
      return "a pair";
  }
  return "a value";
}

const Entry* Node::find(std::string_view key) const {
  if (by_key_.empty()) {
    for (const Entry& entry : entries_) {
      if (entry.key->is_string() && entry.key->text == key) return &entry;
    }
    return nullptr;
  }
  const auto found = std::lower_bound(by_key_.begin(), by_key_.end(), key,
                                      [&](std::uint32_t i, std::string_view k) { return entries_[i].key->text < k; });
  if (found == by_key_.end() || entries_[*found].key->text != key) return nullptr;
  return &entries_[*found];
}

const Node* Node::get(std::string_view key) const {
  const Entry* entry = find(key);
  return entry == nullptr ? nullptr : entry->value.get();
}

const Entry* Node::entry_at_path(std::string_view dotted) const {
  const Node* node = this;
  while (true) {
    const std::size_t dot = dotted.find('.');
    const Entry* entry = node->find(dotted.substr(0, dot));
    if (entry == nullptr || dot == std::string_view::npos) return entry;
    node = entry->value.get();
    dotted.remove_prefix(dot + 1);
  }
}

const Node* Node::at_path(std::string_view dotted) const {
  const Entry* entry = entry_at_path(dotted);
  return entry == nullptr ? nullptr : entry->value.get();
}

void Node::set_entries(std::vector<Entry> entries) {
  kind = Kind::mapping;
  entries_ = std::move(entries);
  by_key_.clear();
  if (entries_.size() < index_from) return;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].key->is_string()) by_key_.push_back(i);
  }
  std::sort(by_key_.begin(), by_key_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return entries_[a].key->text < entries_[b].key->text; });
}

NodePtr make_null(Origin origin) { return make(Kind::null, origin); }

NodePtr make_boolean(bool value, Origin origin) {
  auto node = make(Kind::boolean, origin);
  node->boolean = value;
  return node;
}

NodePtr make_integer(std::int64_t value, Origin origin) {
  auto node = make(Kind::integer, origin);
  node->integer = value;
  return node;
}

NodePtr make_real(double value, Origin origin) {
  auto node = make(Kind::real, origin);
  node->real = value;
  return node;
}

NodePtr make_string(std::string value, Origin origin) {
  auto node = make(Kind::string, origin);
  node->text = std::move(value);
  return node;
}

NodePtr make_sequence(std::vector<NodePtr> items, Origin origin) {
  auto node = make(Kind::sequence, origin);
  node->items = std::move(items);
  return node;
}

bool same_value(const Node& a, const Node& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.boolean == b.boolean;
    case Kind::integer:
      return a.integer == b.integer;
    case Kind::real:
      return a.real == b.real || (std::isnan(a.real) && std::isnan(b.real));
    case Kind::big_integer:
    case Kind::string:
    case Kind::date:
    case Kind::datetime:
    case Kind::bytes:
      return a.text == b.text;
    case Kind::sequence:
    case Kind::tuple:
      return same_items(a, b);
    case Kind::set:
      return same_members(a, b);
    case Kind::mapping:
      return same_entries(a, b);
  }
  return false;
}

}  // namespace primus_plan
