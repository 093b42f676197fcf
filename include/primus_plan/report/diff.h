#pragma once

#include <string>

#include "primus_plan/planner/compare.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// Two runs and what differs; names as the user gave them ("exp.yaml@main").
struct DiffReport {
  const Analysis& before;
  const Analysis& after;
  const Comparison& comparison;
  std::string before_name;
  std::string after_name;
  std::string hardware;  ///< what the estimates are for
};

/// Verdict, numbers, values by what they change, groups, checkpoint, findings.
std::string diff_to_text(const DiffReport& report, const TextStyle& style);

/// {"a": name, "b": name, "same", "trains_the_same", "numbers": [...], "values": [...], "estimates": [...], "groups":
/// [...], "checkpoint": {"loads", "reasons"}, "new": [finding], "gone": [finding]}
std::string diff_to_json(const DiffReport& report);

}  // namespace primus_plan
