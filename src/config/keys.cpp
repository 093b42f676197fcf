#include "config/keys.h"

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <string>

namespace primus_plan {
namespace {

/// Fewer keys than this are compared one by one.
constexpr std::size_t hash_from = 16;

bool is_numeric(const Node& key) { return key.is_number() || key.kind == Kind::boolean; }

/// One text for each number: equal exactly when Python finds the numbers equal.
std::string number_text(const Node& key) {
  switch (key.kind) {
    case Kind::boolean:
      return key.boolean ? "1" : "0";
    case Kind::integer:
      return fmt::format("{}", key.integer);
    case Kind::big_integer:
      return key.text;
    default:
      break;
  }
  if (key.real == 0) return "0";
  if (std::isfinite(key.real) && std::trunc(key.real) == key.real) return fmt::format("{:.0f}", key.real);
  return fmt::format("{}", key.real);
}

}  // namespace

bool same_key(const Node& a, const Node& b) {
  if (a.kind == b.kind) return same_value(a, b);
  return is_numeric(a) && is_numeric(b) && number_text(a) == number_text(b);
}

std::size_t hash_key(const Node& key) {
  return std::hash<std::string>{}(is_numeric(key) ? number_text(key) : key.text);
}

KeyIndex::KeyIndex(const std::vector<Entry>& entries) : entries_(entries) { add(); }

void KeyIndex::add() {
  if (entries_.size() < hash_from) {
    indexed_ = entries_.size();
    return;
  }
  if (by_hash_.empty()) indexed_ = 0;
  for (; indexed_ < entries_.size(); ++indexed_) by_hash_.emplace(hash_key(*entries_[indexed_].key), indexed_);
}

std::size_t KeyIndex::find(const Node& key) const {
  if (by_hash_.empty()) {
    for (std::size_t i = 0; i < indexed_; ++i) {
      if (same_key(*entries_[i].key, key)) return i;
    }
    return none;
  }
  const auto [begin, end] = by_hash_.equal_range(hash_key(key));
  for (auto at = begin; at != end; ++at) {
    if (same_key(*entries_[at->second].key, key)) return at->second;
  }
  return none;
}

}  // namespace primus_plan
