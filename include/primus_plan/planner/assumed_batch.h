#pragma once

#include <cstdint>
#include <span>

namespace primus_plan {

/// The global batch, in samples, of a plan that nobody gave one: about 4 Mi tokens, and at least 8 samples a GPU of the
/// largest world. A multiple of the largest world, of all `worlds` where their common multiple is not past the batch,
/// so that every data-parallel degree divides it; of higher powers of two as well, for micro-batches above 1, as far as
/// that moves it by a sixteenth at most. `worlds`: numbers of GPUs, at least one, ascending, all positive.
std::int64_t assumed_batch(std::span<const std::int64_t> worlds, std::int64_t sequence_length);

}  // namespace primus_plan
