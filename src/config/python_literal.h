#pragma once

#include <string_view>

#include "primus_plan/config/node.h"

namespace primus_plan::python {

/// What ast.literal_eval makes of a text: lists, tuples, sets, dicts, strings, bytes, numbers, True, False, None.
struct Literal {
  NodePtr value;            ///< null: not a literal (Python raises ValueError or SyntaxError)
  bool unhashable = false;  ///< a list, dict or set as a key or in a set: Python raises TypeError
};

/// Complex numbers and Ellipsis count as "not a literal": no key of a config takes them.
Literal parse_literal(std::string_view text, const Origin& origin);

}  // namespace primus_plan::python
