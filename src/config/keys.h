#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "primus_plan/config/node.h"

namespace primus_plan {

/// Whether Python's dict takes two scalars for one key: 1, 1.0 and true are.
bool same_key(const Node& a, const Node& b);
std::size_t hash_key(const Node& key);

/// Finds keys, as Python's dict does, among a list of entries that may grow.
class KeyIndex {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// An index of these entries. The vector is held by reference; later additions are seen only after `add`.
  explicit KeyIndex(const std::vector<Entry>& entries);

  std::size_t find(const Node& key) const;
  /// Takes in the entries that were added since.
  void add();

 private:
  const std::vector<Entry>& entries_;
  std::size_t indexed_ = 0;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;
};

}  // namespace primus_plan
