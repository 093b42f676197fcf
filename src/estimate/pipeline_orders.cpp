#include "estimate/pipeline_orders.h"

#include <algorithm>

namespace primus_plan {

namespace {

PassOrder gpipe(const PipelineSize& size) {
  PassOrder out;
  for (std::int32_t i = 0; i < size.micro_batches; ++i) out.push_back({PassKind::forward, 0, i});
  for (std::int32_t i = 0; i < size.micro_batches; ++i) out.push_back({PassKind::backward, 0, i});
  return out;
}

/// All micro-batches go through chunk 0, then all through chunk 1, …; JAX runs the loop of the forward passes
/// backwards.
PassOrder circular(const PipelineSize& size) {
  PassOrder out;
  for (std::int32_t chunk = 0; chunk < size.chunks; ++chunk) {
    for (std::int32_t i = 0; i < size.micro_batches; ++i) out.push_back({PassKind::forward, chunk, i});
  }
  for (std::size_t i = out.size(); i-- > 0;) out.push_back({PassKind::backward, out[i].chunk, out[i].micro_batch});
  return out;
}

PassOrder one_f_one_b(const PipelineSize& size, std::int32_t rank) {
  const std::int32_t warm_up = std::min(size.ranks - 1 - rank, size.micro_batches);
  PassOrder out;
  for (std::int32_t i = 0; i < warm_up; ++i) out.push_back({PassKind::forward, 0, i});
  for (std::int32_t i = 0; i < size.micro_batches; ++i) {
    if (i + warm_up < size.micro_batches) out.push_back({PassKind::forward, 0, i + warm_up});
    out.push_back({PassKind::backward, 0, i});
  }
  return out;
}

/// Micro-batches go in groups: one group through chunk 0, through chunk 1, …, then the next group.
PassOrder interleaved(const PipelineSize& size, std::int32_t rank) {
  PassOrder forward;
  PassOrder backward;
  const auto share = static_cast<std::int32_t>(interleaved_group(size.ranks, size.micro_batches));
  for (std::int32_t group = 0; group < size.micro_batches; group += share) {
    const std::int32_t end = std::min(size.micro_batches, group + share);
    for (std::int32_t chunk = 0; chunk < size.chunks; ++chunk) {
      for (std::int32_t i = group; i < end; ++i) {
        forward.push_back({PassKind::forward, chunk, i});
        backward.push_back({PassKind::backward, size.chunks - 1 - chunk, i});
      }
    }
  }
  const std::int64_t warm_up = std::int64_t{size.ranks - rank - 1} * 2 + std::int64_t{size.chunks - 1} * share;
  PassOrder out;
  std::size_t next = 0;
  while (next < std::min(static_cast<std::size_t>(warm_up), forward.size())) out.push_back(forward[next++]);
  for (const PipelinePass& pass : backward) {
    if (next < forward.size()) out.push_back(forward[next++]);
    out.push_back(pass);
  }
  return out;
}

/// Forward, input gradients and, `lag` micro-batches later, weight gradients.
PassOrder zero_bubble(const PipelineSize& size, std::int32_t warm_up, std::int32_t lag) {
  PassOrder out;
  const std::int32_t first = std::min(warm_up, size.micro_batches);
  for (std::int32_t i = 0; i < first; ++i) out.push_back({PassKind::forward, 0, i});
  for (std::int32_t i = 0; i < size.micro_batches; ++i) {
    if (i + first < size.micro_batches) out.push_back({PassKind::forward, 0, i + first});
    out.push_back({PassKind::backward_input, 0, i});
    if (i >= lag) out.push_back({PassKind::backward_weight, 0, i - lag});
  }
  for (std::int32_t i = std::max(0, size.micro_batches - lag); i < size.micro_batches; ++i)
    out.push_back({PassKind::backward_weight, 0, i});
  return out;
}

PassOrder flat_order(ScheduleKind schedule, const PipelineSize& size, std::int32_t rank) {
  switch (schedule) {
    case ScheduleKind::gpipe:
      return gpipe(size);
    case ScheduleKind::circular:
      return circular(size);
    case ScheduleKind::interleaved:
      return interleaved(size, rank);
    case ScheduleKind::zero_bubble_1:
      return zero_bubble(size, size.ranks - 1 - rank, rank);
    case ScheduleKind::zero_bubble_2:
      return zero_bubble(size, 2 * (size.ranks - 1 - rank), 2 * rank);
    default:
      return one_f_one_b(size, rank);
  }
}

}  // namespace

PipelineOrder pipeline_order(ScheduleKind schedule, const PipelineSize& size, const PipelineCosts& costs) {
  switch (schedule) {
    case ScheduleKind::v_half:
      return v_shaped_order(size, costs, size.ranks + 2);
    case ScheduleKind::v_min:
      return v_shaped_order(size, costs, (2 * size.ranks + 2) / 3 + 2);
    case ScheduleKind::v_zero_bubble:
    case ScheduleKind::dual_pipe_v:
      if (size.micro_batches >= 2 * size.ranks - 1) return dual_pipe_v_order(size);
      return v_shaped_order(size, costs, 2 * size.ranks);
    default:
      break;
  }
  PipelineOrder out;
  for (std::int32_t rank = 0; rank < size.ranks; ++rank) out.ranks.push_back(flat_order(schedule, size, rank));
  return out;
}

}  // namespace primus_plan
