#pragma once

#include "primus_plan/diagnostics/origin.h"

namespace primus_plan {

/// A value that knows who set it. `key` is the name in YAML (static text), set by the backend's field table.
template <class T>
struct Sourced {
  T value{};
  Origin origin{};
  const char* key = nullptr;
  bool is_explicit = false;    ///< some file, variable or flag sets it; false = the framework's default
  bool is_unreadable = false;  ///< it is set, but to no number (a number's field only): `value` says nothing

  const T& operator*() const { return value; }
};

/// Whether the user wrote the value, rather than a preset or the framework's default.
template <class T>
bool is_asked_for(const Sourced<T>& field) {
  return field.is_explicit && is_written(field.origin);
}

}  // namespace primus_plan
