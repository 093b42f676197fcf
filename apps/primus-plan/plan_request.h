#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/planner/asked_axes.h"
#include "primus_plan/planner/plan.h"

namespace primus_plan::app {

/// What --pin and --allow ask for: values by axis, and the flag that named them.
class AskedAxes {
 public:
  /// Throws Trouble for axes and values that do not exist, for two values in a pin, for an axis that a flag names
  /// twice, and for a pin that --allow does not allow. A pin within what is allowed stands.
  AskedAxes(const std::vector<std::string>& pins, const std::vector<std::string>& allowed);

  const std::map<PlanAxis, std::vector<std::int64_t>>& values() const { return values_; }
  /// "--pin tp=3: TP 3 does not divide 64 GPUs".
  std::string sentence(const AxisTrouble& trouble) const;

 private:
  void read(const std::string& text, std::string_view flag);

  std::map<PlanAxis, std::vector<std::int64_t>> values_;
  std::map<PlanAxis, std::string> flags_;  ///< "--pin tp=8"
};

/// "64", "64,128", "8:1024" (doublings from 8 to 1024), ascending: the value of `flag`. Throws Trouble.
std::vector<std::int64_t> read_sizes(const std::string& text, std::string_view flag);

/// Throws Trouble for a word that is none.
PlanObjective read_objective(const std::string& word);

}  // namespace primus_plan::app
