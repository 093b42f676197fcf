#pragma once

#include <string>
#include <vector>

namespace primus_plan::app {

/// A flag or a positional argument, as the completion scripts and the manual page need it.
struct OptionRow {
  std::vector<std::string> names;  ///< "-q", "--quiet"; one without dashes for a positional argument
  std::string description;
  std::string value;                 ///< what it takes: "FILE", "N"; empty for a flag that takes nothing
  bool value_is_optional = false;    ///< the flag may stand without its value
  std::vector<std::string> choices;  ///< the words it takes, where they are a list
  std::string group;                 ///< heading in the help

  bool is_positional() const { return !names.front().starts_with('-'); }
  bool operator==(const OptionRow&) const = default;
};

struct CommandRow {
  std::string name;
  std::string description;
  std::vector<OptionRow> options;  ///< in the order of the help
};

/// Every command with its options, read from what the commands themselves declare.
std::vector<CommandRow> option_table();

}  // namespace primus_plan::app
