#pragma once

#include <span>
#include <string_view>

namespace primus_plan::maxtext {

/// What pydantic makes of a key's value.
enum class KeyType : unsigned char {
  boolean,
  integer,
  real,
  string,
  list,
  open_ended,  ///< several types, or checked elsewhere
  derived,     ///< MaxText computes it: a value in a file is accepted and overwritten
};

/// Keys of one type.
struct KeyGroup {
  KeyType type;
  std::span<const std::string_view> names;
};

/// Every key that MaxText accepts, by type. Source: the model fields of src/maxtext/configs/types.py:MaxTextConfig.
std::span<const KeyGroup> key_groups();
/// Keys of these that may be null.
std::span<const std::string_view> nullable_keys();

}  // namespace primus_plan::maxtext
