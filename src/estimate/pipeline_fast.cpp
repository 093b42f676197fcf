#include <algorithm>

#include "primus_plan/estimate/pipeline.h"

namespace primus_plan {

void PipelineSums::add(const ChunkCost& rank) {
  ranks += 1;
  sum += rank.total();
  total.forward += rank.forward;
  total.backward_input += rank.backward_input;
  total.backward_weight += rank.backward_weight;
  if (rank.total() > slowest.total()) slowest = rank;
}

double pipeline_seconds(ScheduleKind schedule, const PipelineSums& sums, std::int64_t micro_batches) {
  if (micro_batches < 1 || sums.ranks < 1) return 0;
  const double m = static_cast<double>(micro_batches);
  const ChunkCost& slowest = sums.slowest;
  const double work = m * slowest.total();
  if (sums.ranks < 2) return work;
  // What the other ranks do with one micro-batch before and after the slowest one works on it.
  const double fill = sums.sum - slowest.total();
  const double fill_forward = sums.total.forward - slowest.forward;
  const double fill_input = sums.total.backward_input - slowest.backward_input;
  const double fill_weight = sums.total.backward_weight - slowest.backward_weight;
  // Transfers that a micro-batch waits for on its way to the last stage and back; plain 1F1B waits again for each
  // micro-batch, because a rank holds no other work meanwhile.
  const double through = 2 * (sums.ranks - 1) * sums.transfer_seconds;
  switch (schedule) {
    case ScheduleKind::gpipe:
      return work + fill + through;
    case ScheduleKind::circular: {
      // The first micro-batch comes back to the first rank, on its way to the next chunk, after all stages and
      // transfers.
      const double chunks = std::max(1.0, sums.chunks);
      const double around = sums.ranks * sums.transfer_seconds;
      const double wait = std::max(0.0, sums.total.forward / chunks + around - m * slowest.forward / chunks) +
                          std::max(0.0, sums.total.backward() / chunks + around - m * slowest.backward() / chunks);
      return work + fill / chunks + through + (chunks - 1) * wait;
    }
    case ScheduleKind::none:
    case ScheduleKind::one_f_one_b:
      return work + fill + through + 2 * sums.transfer_seconds * std::max(0.0, m * (sums.ranks - 1) / sums.ranks - 1);
    case ScheduleKind::interleaved:
      return work + fill / std::max(1.0, sums.chunks) +
             2 * (sums.ranks * std::max(1.0, sums.chunks) - 1) * sums.transfer_seconds;
    case ScheduleKind::zero_bubble_1:
      return work + std::max(fill_forward, fill_forward + fill_input - fill_weight) + 2 * through;
    case ScheduleKind::zero_bubble_2: {
      // Too few micro-batches to fill the deep warm-up leave part of the input gradients' way uncovered.
      const double short_of = std::max(0.0, 2 * sums.ranks - 1 - m) / (sums.ranks - 1);
      return work + fill_forward + std::min(1.0, short_of) * fill_input * 0.5 + through / 2;
    }
    case ScheduleKind::v_zero_bubble:
    case ScheduleKind::dual_pipe_v:
      return work + std::max(fill_forward, fill_input) / 2 + 4 * sums.ranks * sums.transfer_seconds;
    case ScheduleKind::v_half:
      return 1.05 * work + fill / 2 + through;
    case ScheduleKind::v_min:
      return 1.12 * work + fill * 2 / 3 + through;
  }
  return work;
}

}  // namespace primus_plan
