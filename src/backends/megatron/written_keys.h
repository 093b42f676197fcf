#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "backends/megatron/declared_choices.h"
#include "primus_plan/config/fields.h"

namespace primus_plan::megatron {

/// Why a key that somebody wrote does not do what it seems to.
enum class KeyFault : std::uint8_t {
  unknown,  ///< nothing reads a key of this name
  dead,     ///< known once, or read for another kind of model only
  twin,     ///< a field of the config class that the argument of another name overwrites
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

/// What the experiment, its variables and the command line wrote, as far as it is odd. Of presets, only the
/// names are judged: those files are not the user's.
struct WrittenKeys {
  std::vector<KeyRemark> remarks;
  std::vector<BadValue> bad_values;  ///< of keys outside the field table whose declared type is a number or a flag
  std::vector<BadChoice> bad_choices;
  std::vector<KeyRemark> of_presets;  ///< keys that presets set and nobody reads
};

/// Looks through a module's params. Source: primus/backends/megatron/argument_builder.py (keys that the parser does not
/// know are dropped).
WrittenKeys find_written_keys(const Node& params);

}  // namespace primus_plan::megatron
