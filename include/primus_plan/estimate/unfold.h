#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/estimate/estimate.h"

namespace primus_plan {

/// A number of the estimates with how it comes about.
struct UnfoldedNumber {
  std::string name;     ///< "memory.activations"
  std::string value;    ///< with its unit
  std::string formula;  ///< in names
  std::vector<MemoryInput> inputs;
};

/// Unfolds "memory" (of the fullest stage), "memory.PART", "memory.allocated", "memory.reserved", "parameters",
/// "parameters.PART", "flops" (of a token), "step", "step.PART" ("step.bubble" too); words of a part are joined by _ or
/// -. Nothing for other names, for parts that are 0, and for steps without hardware.
std::optional<UnfoldedNumber> unfold_number(const Workload& workload, const Estimate& estimate,
                                            const Hardware* hardware, std::string_view name);

/// The names that unfold_number answers for this run.
std::vector<std::string> unfoldable_numbers(const Workload& workload, const Estimate& estimate,
                                            const Hardware* hardware);

/// Whether a word may be such a number at all, of whatever run.
bool is_number_name(std::string_view name);

}  // namespace primus_plan
