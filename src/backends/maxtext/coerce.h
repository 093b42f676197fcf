#pragma once

#include <string_view>

#include "backends/maxtext/keys.h"
#include "primus_plan/config/node.h"

namespace primus_plan::maxtext {

/// What pydantic makes of a value.
struct Coerced {
  NodePtr node;               ///< the value MaxText goes on with; null when it refuses
  std::string_view expected;  ///< "an integer", …: for messages
  bool surprising = false;    ///< accepted, but hardly meant: true where a number belongs
};

/// Reads a value as pydantic's lax mode does for this key: "2" and 2.0 are integers, "true" is a boolean, the text
/// "none" is null. Source: src/maxtext/configs/pyconfig.py:_prepare_for_pydantic, types.py.
Coerced coerce(const KeySpec& spec, const NodePtr& value);

/// The same for the text of an environment variable M_<KEY>, read by the type that the value had.
/// Source: src/maxtext/configs/pyconfig.py:_initialize_pydantic. Null when MaxText cannot read it.
NodePtr read_variable(const Node& before, std::string_view text);

}  // namespace primus_plan::maxtext
