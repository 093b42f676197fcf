#pragma once

#include <cstdint>

#include "primus_plan/estimate/timeline.h"
#include "primus_plan/layout/rank_layout.h"

namespace primus_plan::test {

/// A played pipeline with round numbers, apart from what the estimates say: a forward pass of a rank takes 100 ms, its
/// input gradients 120, its weight gradients 80; a micro-batch keeps 4 GiB on top of 50 GiB.
RunTimeline round_timeline(ScheduleKind schedule, std::int64_t ranks, std::int64_t chunks, std::int64_t micro_batches);

/// Ranks as Megatron lays them out: tp-cp-dp-pp, and experts over cp and dp.
RankLayout round_layout(std::int64_t world, std::int64_t tensor, std::int64_t context, std::int64_t pipeline,
                        std::int64_t expert, std::int64_t ranks_per_node = 8);

}  // namespace primus_plan::test
