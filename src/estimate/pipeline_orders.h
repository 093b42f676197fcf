#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "primus_plan/estimate/pipeline.h"

namespace primus_plan {

/// A pass in a rank's order of work.
struct PipelinePass {
  PassKind kind = PassKind::forward;
  std::int32_t chunk = 0;
  std::int32_t micro_batch = 0;
};

using PassOrder = std::vector<PipelinePass>;

/// Which order each rank works in, and how its chunks are numbered along the model.
struct PipelineOrder {
  std::vector<PassOrder> ranks;
  bool v_shaped = false;  ///< chunk 1 of rank r is stage 2p - 1 - r rather than p + r
};

/// Whether the second chunk of each rank runs back from the last rank to the first.
constexpr bool is_v_shaped(ScheduleKind kind) {
  return kind == ScheduleKind::v_zero_bubble || kind == ScheduleKind::v_half || kind == ScheduleKind::v_min ||
         kind == ScheduleKind::dual_pipe_v;
}

/// Whether a schedule is one for so many model chunks on each rank.
constexpr bool goes_with_chunks(ScheduleKind kind, std::int64_t chunks) {
  if (kind == ScheduleKind::interleaved || kind == ScheduleKind::circular) return chunks > 1;
  return chunks == (is_v_shaped(kind) ? 2 : 1);
}

/// The schedule that can run on a pipeline of these costs, and the chunks of each rank that it tells apart.
struct Playable {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  std::size_t chunks = 1;
};
Playable playable(ScheduleKind schedule, const PipelineCosts& costs);

struct PipelineSize {
  std::int32_t ranks = 1;
  std::int32_t chunks = 1;
  std::int32_t micro_batches = 1;
};

/// Micro-batches that the ranks of an interleaved pipeline take through one chunk before they go on to the next: as
/// many as there are ranks, or the equal shares of as many rounds as they fill. Sources:
/// megatron/core/pipeline_parallel/schedules.py:get_pp_rank_microbatches; torch.distributed.pipelining
/// ScheduleInterleaved1F1B (number_of_rounds, microbatches_per_round).
constexpr std::int64_t interleaved_group(std::int64_t ranks, std::int64_t micro_batches) {
  const std::int64_t rounds = micro_batches < ranks ? 1 : micro_batches / ranks;
  return micro_batches % rounds == 0 ? micro_batches / rounds : ranks;
}

/// The order of a schedule. Source: see simulate_pipeline.
PipelineOrder pipeline_order(ScheduleKind schedule, const PipelineSize& size, const PipelineCosts& costs);

/// The order of a V-shaped schedule whose ranks may hold the activations of `most_chunks` (at least 2) chunk passes:
/// each micro-batch in turn takes the first gaps that are wide enough, and weight gradients fill what is left.
/// Source: Primus core/pipeline_parallel/scheduler/algorithms/zbv_greedy.py; Qi et al. 2024, arXiv 2405.15362.
PipelineOrder v_shaped_order(const PipelineSize& size, const PipelineCosts& costs, std::int32_t most_chunks);

/// DualPipe folded into a V. Source: torch.distributed.pipelining ScheduleDualPipeV; needs 2p - 1 micro-batches.
PipelineOrder dual_pipe_v_order(const PipelineSize& size);

}  // namespace primus_plan
