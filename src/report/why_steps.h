#pragma once

#include <string>
#include <vector>

#include "primus_plan/report/why.h"

namespace primus_plan {

/// One rung of a value's history.
struct WhyStep {
  std::string layer;
  std::string value;   ///< YAML on one line, cut where it is long
  std::string place;   ///< "path:line:column"; empty where there is none
  std::string remark;  ///< why it does not win, variables that took part, what the runtime does
  bool wins = false;
};

/// The history of a value, weakest layer first; the runtime's own steps last.
std::vector<WhyStep> why_steps(const FoundKey& found);

}  // namespace primus_plan
