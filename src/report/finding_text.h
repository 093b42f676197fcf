#pragma once

#include <string>

#include "primus_plan/diagnostics/finding.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One finding as text: the sentence, the source line with a caret, related places, reasons and ways out. A finding
/// without a place of its own is shown at `fallback`; without that either, only `path` is named.
std::string finding_to_text(const Finding& finding, const Origin& fallback, const std::string& path,
                            const TextStyle& style);

}  // namespace primus_plan
