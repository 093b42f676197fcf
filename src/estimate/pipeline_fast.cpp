#include <algorithm>

#include "primus_plan/estimate/pipeline.h"

namespace primus_plan {

void PipelineSums::add(const ChunkCost& rank) {
  slowest = std::max(slowest, rank.total());
  sum += rank.total();
  forward_slowest = std::max(forward_slowest, rank.forward);
  forward_sum += rank.forward;
  weight_slowest = std::max(weight_slowest, rank.backward_weight);
}

double pipeline_seconds(ScheduleKind schedule, const PipelineSums& sums, std::int64_t micro_batches) {
  if (micro_batches < 1) return 0;
  const double m = static_cast<double>(micro_batches);
  const double work = m * sums.slowest;
  const double fill = sums.sum - sums.slowest;  // the other stages' work on one micro-batch
  const double transfers = 2 * (sums.ranks - 1) * sums.transfer_seconds;
  switch (schedule) {
    case ScheduleKind::none: return work;
    case ScheduleKind::gpipe:
    case ScheduleKind::one_f_one_b: return work + fill + transfers;
    case ScheduleKind::interleaved: return work + fill / sums.chunks + transfers;
    case ScheduleKind::zero_bubble_1: return work + fill - (sums.ranks - 1) * 2 * sums.weight_slowest / 1 + transfers;
    default: return work + fill / 4 + transfers;
  }
}

}  // namespace primus_plan
