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

/// A row of a list for a terminal: `rest` in a column of its own after `head` where that leaves room to read, else
/// below it, indented by four.
std::string list_row(std::string_view head, std::string_view rest, const TextStyle& style);

}  // namespace primus_plan
