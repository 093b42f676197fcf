#pragma once

#include <string>

#include "primus_plan/planner/advise.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One module's advice.
struct AdviceReport {
  const Analysis& analysis;
  const Advice& advice;
  const Trial& now;
  std::string hardware;  ///< what the estimates are for, and why
};

std::string advice_to_text(const AdviceReport& report, const TextStyle& style);

/// {"path", "module", "framework", "hardware", "not_counted": [...], "footprint": {...}, "standing": [...], "goals":
/// [{"goal", "lines"}], "learning_rate": [...], "top": [{"what", "changes", "gain", "tokens_per_second_per_gpu",
/// "memory_bytes"}], "tried"}
std::string advice_to_json(const AdviceReport& report);

}  // namespace primus_plan
