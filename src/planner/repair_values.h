#pragma once

#include <cstdint>
#include <vector>

#include "primus_plan/run/run.h"

namespace primus_plan {

// Values of the batch that a repair may try, each ascending and without the impossible ones.

/// The global batches around the asked one that split into micro-batches, and those that fill whole rounds of the
/// pipeline too.
std::vector<std::int64_t> global_values(const RunDescription& run);

/// The lengths around the asked one that split over the ranks of a sequence: sequence parallelism cuts it by TP,
/// context parallelism by CP, or by 2 CP to balance causal attention.
std::vector<std::int64_t> length_values(const RunDescription& run);

/// The micro-batches that divide each rank's share of the global batch.
std::vector<std::int64_t> micro_values(const RunDescription& run);

/// The same where the global batch follows the micro-batch: those around it too, which are the next ones and those that
/// fill whole rounds of the pipeline and all its stages.
std::vector<std::int64_t> free_micro_values(const RunDescription& run);

/// Halves and doubles of a micro-batch, for runs whose batch is what the micro-batches make (MaxText).
std::vector<std::int64_t> halves_and_doubles(std::int64_t written);

}  // namespace primus_plan
