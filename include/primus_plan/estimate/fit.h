#pragma once

#include <span>
#include <string>
#include <vector>

#include "primus_plan/diagnostics/findings.h"
#include "primus_plan/diagnostics/rule.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan {

/// The part that a run is judged against, and how that is known.
struct FitTarget {
  Hardware hardware;
  std::string from;      ///< "--hardware MI300X", "its path", "hardware in .primus-plan.yaml:3"
  bool assumed = false;  ///< nobody said: it is the smallest part that Primus has experiments for
  /// Every part that is known; asked only for what does not fit. Null: no other.
  const std::vector<Hardware>& (*known_parts)() = nullptr;
};

/// A run and the part it is for: what the fit rules (FTxxx) read. They know no backend.
struct FittedRun {
  const Workload& workload;
  const MemoryEstimate& memory;  ///< without stages where it cannot be judged
  const FitTarget& target;
};

/// Rules about the memory of the part, of which at most one fires, and about the formats it computes in.
std::span<const Rule<FittedRun>> fit_rules();

}  // namespace primus_plan
