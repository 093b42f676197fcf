#pragma once

#include "primus_plan/config/fields.h"
#include "primus_plan/run/run.h"

namespace primus_plan {

/// The user's own key behind a number of the run.
template <class T>
RunKey key_of(const Sourced<T>& field) {
  return {field.key, field.origin};
}

/// A size as a report shows it: null where it could not be derived (0 or less).
inline NodePtr known_size(Int value) { return value > 0 ? make_integer(value) : make_null(); }

}  // namespace primus_plan
