#pragma once

#include <memory>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"

namespace primus_plan {

/// Judges every module of an experiment at a launch size. A launch without a world size takes the smallest legal world
/// of each module. Modules of frameworks without a checker get verdict `not-checked` and a note; findings of loading
/// are part of the first module's.
std::vector<Analysis> analyze(const Experiment& experiment, const Launch& launch, const Environment& environment,
                              const AnalyzeOptions& options);

/// A module read for its backend. Null where there is nothing to judge: a framework without a checker, or a module that
/// Primus will not find.
std::unique_ptr<Prepared> prepare(const Module& module, const Environment& environment);

/// The launch itself, or the smallest legal world in whole nodes where nobody gave a size.
Launch settle_launch(const Prepared& prepared, const Launch& launch);

/// Node counts from 1 to `most_nodes` at which a module has no error, found by judging each; stops after `most_found`.
std::vector<LegalWorld> legal_worlds(const Prepared& prepared, std::int64_t gpus_per_node, std::int64_t most_nodes,
                                     std::size_t most_found);

}  // namespace primus_plan
