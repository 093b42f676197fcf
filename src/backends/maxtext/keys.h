#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "backends/maxtext/key_names.h"

namespace primus_plan::maxtext {

/// What MaxText demands of one key before any of its rules looks at it.
struct KeySpec {
  std::string_view name;
  KeyType type = KeyType::open_ended;
  bool nullable = false;
  std::string_view choices;  ///< "a|b|c"; no data = any value. A leading | allows the empty text
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;  ///< the least value itself is not allowed
};

/// The spec of a key; null for a key that MaxText refuses.
const KeySpec* find_key(std::string_view name);
/// All keys, sorted by name.
std::span<const KeySpec> all_keys();

}  // namespace primus_plan::maxtext
