#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// A report as a terminal may be given it: line breaks, tabs and changes of colour (ESC [ numbers m) stay, everything
/// else that could steer it is made visible as by escape_controls. Reports escape what they quote themselves; this is
/// for what one of them forgets.
std::string terminal_text(std::string_view text);

}  // namespace primus_plan
