#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "primus_plan/config/fields.h"

namespace primus_plan::megatron {

/// Why a key that somebody wrote does not do what it seems to.
enum class KeyFault : std::uint8_t {
  unknown,  ///< nothing reads a key of this name
  dead,     ///< known once, or read for another kind of model only
  twin,     ///< a field of the config class that the argument of another name overwrites
  lost,     ///< written beside `config` and `model`, where the module preset's value wins
};

/// A name that is not read, and what does the work instead.
struct DeadName {
  std::string_view name;
  std::string_view instead;  ///< a key; may be empty
  std::string_view why;      ///< ends the sentence "NAME has no effect: …"
};

/// A key that does not do what it seems to, with the reason.
struct KeyRemark {
  KeyFault fault;
  std::string_view name;
  const Node* value = nullptr;  ///< as written
  Origin where;                 ///< the key
  const DeadName* dead = nullptr;
};

/// A key whose declared values nothing enforces.
struct Choice {
  std::string_view name;
  std::string_view values;  ///< "a|b|c"
};

/// A text that is none of a key's declared values.
struct BadChoice {
  const Choice* choice = nullptr;
  const Node* node = nullptr;
};

/// What the experiment, its variables and the command line wrote, as far as it is odd. Keys of presets are not judged:
/// those files are not the user's.
struct WrittenKeys {
  std::vector<KeyRemark> remarks;
  std::vector<BadValue> bad_values;  ///< of keys outside the field table whose declared type is a number or a flag
  std::vector<BadChoice> bad_choices;
};

/// Looks through a module's params. Source: primus/backends/megatron/argument_builder.py (keys that the parser does not
/// know are dropped), primus/core/launcher/parser.py (keys beside `config` and `model` never override the preset).
WrittenKeys find_written_keys(const Node& params);

/// The key that a name nobody reads was probably meant to be; empty when nothing is near.
std::string_view probable_key(std::string_view name);

}  // namespace primus_plan::megatron
