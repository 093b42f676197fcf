#pragma once

#include <string>
#include <string_view>

#include "primus_plan/report/report.h"

namespace primus_plan {

/// A line for a terminal, broken between words where it is wider than the terminal; what follows the first break is
/// indented by `indent` columns. Colours take no columns. Where no terminal is, the line stays whole, so that it can
/// be searched.
std::string wrapped(std::string_view line, std::size_t indent, const TextStyle& style);

/// The same for every line of a text, indented by two more columns than the line itself.
std::string wrapped_lines(std::string_view text, const TextStyle& style);

}  // namespace primus_plan
