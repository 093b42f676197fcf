#pragma once

#include <optional>
#include <string>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/files.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan::app {

/// The part that estimates are made for, and why this one.
struct Part {
  std::optional<Hardware> hardware;
  std::string from;

  const Hardware* get() const { return hardware ? &*hardware : nullptr; }
};

/// `spec` (the value of --hardware), else what the experiment's path or comments speak of, else none.
Part find_part(const std::string& spec, const Experiment& experiment, const FileReader& files);

/// The modules at the launch, or at whole nodes where nobody gave a size: one GPU of a node tells little of a run.
std::vector<Analysis> analyze_nodes(const Experiment& experiment, const Launch& launch, const Environment& environment,
                                    const AnalyzeOptions& asked);

}  // namespace primus_plan::app
