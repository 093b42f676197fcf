#include <algorithm>
#include <cstddef>

#include "estimate/pipeline_orders.h"

namespace primus_plan {

namespace {

constexpr double not_yet = -1;

/// Runs every rank's order, each pass as early as its inputs allow.
class Player {
 public:
  Player(const PipelineOrder& order, const PipelineCosts& costs, const PipelineSize& size)
      : order_(order), costs_(costs), size_(size) {
    const std::size_t cells = static_cast<std::size_t>(stages()) * static_cast<std::size_t>(size.micro_batches);
    forward_.assign(cells, not_yet);
    backward_.assign(cells, not_yet);
    next_.assign(order.ranks.size(), 0);
    free_.assign(order.ranks.size(), 0);
    held_.assign(order.ranks.size(), 0);
  }

  PipelineTimeline play(bool with_events) {
    PipelineTimeline out;
    out.busy.assign(next_.size(), 0);
    out.in_flight.assign(next_.size(), 0);
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t rank = 0; rank < next_.size(); ++rank) {
        while (next_[rank] < order_.ranks[rank].size() && step(rank, out, with_events)) moved = true;
      }
    }
    double busy = 0;
    for (const double seconds : out.busy) busy += seconds;
    if (out.seconds > 0) out.bubble_share = 1 - busy / (out.seconds * static_cast<double>(next_.size()));
    if (with_events) {
      std::stable_sort(out.events.begin(), out.events.end(),
                       [](const PipelineEvent& a, const PipelineEvent& b) { return a.rank < b.rank; });
    }
    return out;
  }

 private:
  std::int32_t stages() const { return size_.ranks * size_.chunks; }

  std::int32_t stage(std::int32_t rank, std::int32_t chunk) const {
    if (order_.v_shaped && chunk == 1) return 2 * size_.ranks - 1 - rank;
    return chunk * size_.ranks + rank;
  }
  std::int32_t rank_of(std::int32_t stage) const {
    if (order_.v_shaped && stage >= size_.ranks) return 2 * size_.ranks - 1 - stage;
    return stage % size_.ranks;
  }
  std::size_t cell(std::int32_t stage, std::int32_t micro_batch) const {
    return static_cast<std::size_t>(micro_batch) * static_cast<std::size_t>(stages()) + static_cast<std::size_t>(stage);
  }

  /// When a pass's input is there; `not_yet` when its maker has not run.
  double ready(std::int32_t rank, const PipelinePass& pass) const {
    const std::int32_t here = stage(rank, pass.chunk);
    if (pass.kind == PassKind::forward) return here == 0 ? 0 : arrival(forward_, here - 1, rank, pass.micro_batch);
    if (pass.kind == PassKind::backward_weight) return backward_[cell(here, pass.micro_batch)];
    if (here == stages() - 1) return forward_[cell(here, pass.micro_batch)];
    return arrival(backward_, here + 1, rank, pass.micro_batch);
  }

  double arrival(const std::vector<double>& ends, std::int32_t from, std::int32_t rank,
                 std::int32_t micro_batch) const {
    const double end = ends[cell(from, micro_batch)];
    if (end == not_yet) return not_yet;
    return rank_of(from) == rank ? end : end + costs_.transfer_seconds;
  }

  /// Runs the rank's next pass if its input is there.
  bool step(std::size_t rank, PipelineTimeline& out, bool with_events) {
    const PipelinePass& pass = order_.ranks[rank][next_[rank]];
    const std::int32_t place = static_cast<std::int32_t>(rank);
    const double input = ready(place, pass);
    if (input == not_yet) return false;
    const double start = std::max(input, free_[rank]);
    const double seconds = duration(costs_.ranks[rank][static_cast<std::size_t>(pass.chunk)], pass.kind);
    const double end = start + seconds;
    const std::size_t at = cell(stage(place, pass.chunk), pass.micro_batch);
    if (pass.kind == PassKind::forward) {
      forward_[at] = end;
      out.in_flight[rank] = std::max(out.in_flight[rank], static_cast<double>(++held_[rank]) / size_.chunks);
    } else {
      if (pass.kind != PassKind::backward_weight) backward_[at] = end;
      if (pass.kind != PassKind::backward_input) --held_[rank];
    }
    free_[rank] = end;
    out.busy[rank] += seconds;
    out.seconds = std::max(out.seconds, end);
    if (with_events) out.events.push_back({place, pass.chunk, pass.micro_batch, pass.kind, start, end});
    ++next_[rank];
    return true;
  }

  static double duration(const ChunkCost& cost, PassKind kind) {
    switch (kind) {
      case PassKind::forward:
        return cost.forward;
      case PassKind::backward_input:
        return cost.backward_input;
      case PassKind::backward_weight:
        return cost.backward_weight;
      case PassKind::backward:
        return cost.backward();
    }
    return 0;
  }

  const PipelineOrder& order_;
  const PipelineCosts& costs_;
  PipelineSize size_;
  std::vector<double> forward_;   ///< end of each stage's forward pass of each micro-batch
  std::vector<double> backward_;  ///< and of its input gradients
  std::vector<std::size_t> next_;
  std::vector<double> free_;
  std::vector<std::int32_t> held_;
};

/// Forward passes after which a schedule only repeats itself.
constexpr std::int64_t most_passes = std::int64_t{1} << 15;

/// Adds the micro-batches that were not played: the slowest rank is never idle between them. `holds_all`: every one of
/// them is in flight before the first backward pass.
void repeat_steady_state(PipelineTimeline& line, std::int64_t micro_batches, std::int64_t played, bool holds_all) {
  const double times = static_cast<double>(micro_batches) / static_cast<double>(played);
  const double slowest = *std::max_element(line.busy.begin(), line.busy.end());
  line.seconds += (times - 1) * slowest;
  if (holds_all) {
    for (double& held : line.in_flight) held *= times;
  }
  double busy = 0;
  for (double& seconds : line.busy) busy += seconds *= times;
  if (line.seconds > 0) line.bubble_share = 1 - busy / (line.seconds * static_cast<double>(line.busy.size()));
}

/// The costs with all chunks of a rank as one, for schedules that know no chunks.
PipelineCosts without_chunks(const PipelineCosts& costs) {
  PipelineCosts out;
  out.transfer_seconds = costs.transfer_seconds;
  for (const auto& chunks : costs.ranks) {
    ChunkCost all;
    for (const ChunkCost& chunk : chunks) {
      all.forward += chunk.forward;
      all.backward_input += chunk.backward_input;
      all.backward_weight += chunk.backward_weight;
    }
    out.ranks.push_back({all});
  }
  return out;
}

}  // namespace

Playable playable(ScheduleKind schedule, const PipelineCosts& costs) {
  std::size_t chunks = costs.ranks.empty() ? 1 : costs.ranks.front().size();
  for (const auto& rank : costs.ranks) {
    if (rank.size() != chunks || chunks == 0) chunks = 1;
  }
  if (costs.ranks.size() <= 1 && chunks <= 1) return {ScheduleKind::one_f_one_b, 1};
  if (is_v_shaped(schedule)) return chunks == 2 ? Playable{schedule, 2} : Playable{ScheduleKind::zero_bubble_1, 1};
  if (schedule == ScheduleKind::none || schedule == ScheduleKind::interleaved) {
    return chunks > 1 ? Playable{ScheduleKind::interleaved, chunks} : Playable{ScheduleKind::one_f_one_b, 1};
  }
  if (schedule == ScheduleKind::circular) {
    return chunks > 1 ? Playable{schedule, chunks} : Playable{ScheduleKind::gpipe, 1};
  }
  return {schedule, 1};
}

PipelineTimeline simulate_pipeline(ScheduleKind schedule, const PipelineCosts& costs, std::int64_t micro_batches,
                                   bool with_events) {
  if (costs.ranks.empty() || micro_batches < 1) return {};
  const auto [kind, chunks] = playable(schedule, costs);
  const PipelineCosts used = chunks > 1 ? costs : without_chunks(costs);
  const std::int64_t stages = static_cast<std::int64_t>(used.ranks.size() * used.ranks.front().size());
  if (stages > most_simulated_stages) return {};
  const std::int64_t enough = std::max(4 * static_cast<std::int64_t>(used.ranks.size()), most_passes / stages);
  const std::int64_t played = std::min(micro_batches, enough);
  const PipelineSize size{.ranks = static_cast<std::int32_t>(used.ranks.size()),
                          .chunks = static_cast<std::int32_t>(used.ranks.front().size()),
                          .micro_batches = static_cast<std::int32_t>(played)};
  const PipelineOrder order = pipeline_order(kind, size, used);
  PipelineTimeline out = Player(order, used, size).play(with_events);
  if (micro_batches > played) {
    const bool holds_all = kind == ScheduleKind::gpipe || kind == ScheduleKind::circular;
    repeat_steady_state(out, micro_batches, played, holds_all);
  }
  return out;
}

}  // namespace primus_plan
