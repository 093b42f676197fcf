#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "primus_plan/report/report.h"

namespace primus_plan {

/// "1 file", "2 files".
std::string counted(std::size_t count, std::string_view noun);

/// "2 errors, 1 warning, 1 note"; empty when there are none.
std::string counts_to_text(const Summary& summary);

}  // namespace primus_plan
