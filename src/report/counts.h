#pragma once

#include <string>

#include "primus_plan/report/report.h"

namespace primus_plan {

/// "2 errors, 1 warning, 1 note"; empty when there are none.
std::string counts_to_text(const Summary& summary);

}  // namespace primus_plan
