#pragma once

#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"

namespace primus_plan {

/// Judges every module of an experiment at a launch size. A launch without a world size takes the smallest legal world of
/// each module. Modules of frameworks without a checker get verdict `not-checked` and a note; findings of loading are part of
/// the first module's.
std::vector<Analysis> analyze(const Experiment& experiment, const Launch& launch, const AnalyzeOptions& options);

/// Node counts from 1 to `most_nodes` at which the module has no error, found by judging each.
std::vector<LegalWorld> legal_worlds(const Module& module, std::int64_t gpus_per_node, std::int64_t most_nodes);

}  // namespace primus_plan
