#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// Adds a text as HTML and XML write it, in elements and in attributes: & < > and " become entities.
void append_markup(std::string& out, std::string_view text);

}  // namespace primus_plan
