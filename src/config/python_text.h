#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "primus_plan/config/node.h"

/// What Python's own text functions make of a string. Command-line tokens reach Primus through them.
namespace primus_plan::python {

/// str.strip(): white space of Unicode at both ends is gone.
std::string_view strip(std::string_view text);
/// str.lstrip("-").
std::string_view strip_dashes(std::string_view text);

/// int(text) of stripped text: sign, digits of any script, single underscores between them; leading zeros are fine.
/// Gives an integer or big_integer; null where Python raises ValueError.
NodePtr to_integer(std::string_view text, const Origin& origin);
/// float(text) of stripped text without the words inf and nan (their texts have no '.'); null where Python raises.
NodePtr to_real(std::string_view text, const Origin& origin);

/// An integer node from decimal digits without sign.
NodePtr integer_of(std::string_view digits, bool negative, const Origin& origin);

}  // namespace primus_plan::python
