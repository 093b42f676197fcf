#pragma once

#include <string>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// The numbers of a run, a few indented lines: sizes and degrees, batch, how the world size was found, notes, rewrites.
/// What could not be derived is left out or shown as "?".
std::string overview_to_text(const Analysis& analysis, const TextStyle& style);

/// For verbose reports: the layers of each pipeline stage (neighbours that are alike in one line) and every value that
/// the runtime derives.
std::string details_to_text(const Analysis& analysis, const TextStyle& style);

/// "64 GPUs = 8 nodes x 8"; "world size unknown" where nothing is known.
std::string launch_to_text(const Launch& launch);
/// "TP 8 x PP 2 x CP 1   DP 4   (expert DP 4)"; "?" for what could not be derived.
std::string degrees_to_text(const Degrees& degrees);
/// "micro-batch 4", and "micro-batch 1 x 4 in the pipeline" where that cuts what a rank takes at once.
std::string micro_batch_text(const Batch& batch);
/// The batch as a product where it is one, else as a list of what is known; empty when nothing is.
std::string batch_to_text(const Batch& batch, std::int64_t data);

}  // namespace primus_plan
