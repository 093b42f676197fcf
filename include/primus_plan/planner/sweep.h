#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/trial.h"

namespace primus_plan {

/// An axis that cannot be read or tried: a sentence for the user.
class SweepError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One key, or one of the short names, and the values it takes in turn.
struct SweepAxis {
  std::string name;
  std::vector<NodePtr> values;
  std::shared_ptr<const Source> source;  ///< owner of the text that the values point into
};

/// The most points of one sweep.
inline constexpr std::size_t most_sweep_points = 20'000;

/// Reads NAME=VALUES. NAME is a short name or a key of the backend; VALUES are YAML values split by commas ("1,2,4",
/// "full,selective,null"), A:B (doubling from A, ending at or below B) or A:B:STEP (adding STEP). Short names take
/// positive whole numbers, those of the launch up to largest_launch. Throws SweepError; `command` is what the user gave
/// the axis to.
SweepAxis parse_sweep_axis(const std::string& text, std::string_view command = "--over");

/// One combination of the axes' values.
struct SweepPoint {
  std::vector<NodePtr> values;  ///< one for each axis
  Trial trial;
  char letter = 0;  ///< of the legend; 0 for a legal run
};

/// Why points are illegal: the rules that fire there, and what the first of them says at the first such point.
struct SweepReason {
  char letter = 0;
  std::vector<const RuleInfo*> rules;  ///< empty: the backend has no key for what is asked
  std::string message;
  std::size_t points = 0;
};

struct Sweep {
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;  ///< the last axis changes fastest
  std::vector<SweepReason> legend;
  const Hardware* hardware = nullptr;
  std::vector<std::string_view> unknown;  ///< facts that the estimates lack
  std::vector<std::string> notes;         ///< why there is no step time at some point, or what the times leave out
  bool complete = true;                   ///< false: stopped; the points are the first ones
};

/// Tries every combination, unless `control` stops it. Throws SweepError for more than most_sweep_points of them, and
/// for an axis given twice.
Sweep run_sweep(const Trials& trials, std::vector<SweepAxis> axes, const PlanControl& control = {});

}  // namespace primus_plan
