#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One module before and after a change.
struct Change {
  const Analysis& before;
  const Analysis& after;
  const Estimate* before_estimate = nullptr;  ///< null when the run cannot be estimated
  const Estimate* after_estimate = nullptr;
  std::string hardware = {};  ///< what the estimates are for; empty: not said
};

/// Whether a number went where people want it.
enum class Trend : std::uint8_t { neutral, better, worse };

/// A number of a run before and after, in words.
struct MovedNumber {
  std::string_view name;  ///< "DP", "memory", "tokens/s/GPU"
  std::string_view unit;  ///< "GiB", "%"; empty for counts
  std::string before;     ///< "?" where it cannot be derived
  std::string after;
  std::string difference;  ///< with its sign: "-12.3 GiB", "+8.1 %"; empty for counts and where a side is unknown
  Trend trend = Trend::neutral;
  bool moved = false;
};

/// The numbers that move, and the few that everybody asks for.
std::vector<MovedNumber> moved_numbers(const Change& change);

/// The numbers, then the findings that come and go.
std::string change_to_text(const Change& change, const TextStyle& style);

/// {"before": module, "after": module, "changes": [{"name", "before", "after"}], "estimates": [{"name", "unit",
/// "before", "after"}], "hardware": text or null, "new": [finding], "gone": [finding]}; modules and findings as in the
/// check contract.
std::string change_to_json(const Change& change);

}  // namespace primus_plan
