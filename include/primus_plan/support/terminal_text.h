#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// A report as a terminal may be given it: line breaks, tabs and changes of colour (ESC [ numbers m) stay, everything
/// else that could steer it is made visible as by escape_controls. Reports escape what they quote themselves; this is
/// for what one of them forgets.
std::string terminal_text(std::string_view text);

/// A text for people as the log of GitHub Actions may be given it: what its runner would take for a command is made
/// visible, "::" at the start of a line (white space before it does not count) as "\x3a:", and "##[" as "#\x23[".
/// `begins_line`: whether the text does. Source: actions/runner, src/Runner.Common/ActionCommand.cs.
std::string log_text(std::string_view text, bool begins_line);

}  // namespace primus_plan
