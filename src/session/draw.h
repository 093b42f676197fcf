#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/report/report.h"

namespace primus_plan::session {

/// A bar of full and empty columns; `share` from 0 to 1, what is beyond counts as its end.
std::string bar(double share, int columns);

/// "61.3 GiB".
std::string gib_text(double bytes);
/// "1,234"; "?" for 0 and less.
std::string count_text(std::int64_t value);
/// A real number as a count.
std::string count_text(double value);

/// Pieces in lines behind a label, three blanks between them; what does not fit in a line begins the next.
std::string flow(const std::string& label, const std::vector<std::string>& pieces, int width);

}  // namespace primus_plan::session
