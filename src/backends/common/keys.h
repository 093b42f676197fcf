#pragma once

#include <string>
#include <string_view>

#include "primus_plan/config/node.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan {

/// What a name that a framework does not read was probably meant to be.
struct ProbableKey {
  std::string_view key;         ///< a key of the framework; empty when nothing is near
  std::string_view note;        ///< what takes the place where one key does not; may be empty
  std::string_view owner;       ///< "TorchTitan": another framework that has a key of the written name; empty when none
  std::string_view owners_key;  ///< its key, with sections
};

/// Looks, in this order, for the same name in another spelling (case, dashes), for the same thing under another
/// framework's, paper's or older version's name, for the same name in another section, and for a near miss. Everything
/// is static text.
ProbableKey probable_key(std::string_view framework, std::string_view name);

/// Whose section this is ("TorchTitan" for training); empty when no framework has one of this name.
std::string_view owner_of_section(std::string_view name);

/// Looking for what was meant costs a visit to every key there is: of very many unknown keys only so many get a hint.
inline constexpr std::size_t most_key_hints = 200;

/// Adds to a message about an unknown key whose key it is and what was meant; an edit renames it when the meant key
/// belongs in the same section.
void say_probable_key(std::string_view framework, std::string_view written, const Origin& where, Message& m);

}  // namespace primus_plan
