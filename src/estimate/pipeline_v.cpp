#include <algorithm>
#include <cstddef>

#include "estimate/pipeline_orders.h"

namespace primus_plan {

namespace {

/// What one rank does when: passes that do not overlap, and the activations that they hold.
class Agenda {
 public:
  explicit Agenda(std::int32_t most) : most_(most) {}

  /// Puts a forward pass into the first gap at or after `from` from where on one more activation fits; gives back its
  /// end, or nothing (-1) when none will ever fit.
  double place_forward(double from, double seconds, const PipelinePass& pass) {
    std::int32_t held = held_;
    if (held >= most_) return -1;
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      if (held >= most_) {
        // Held from the change before on, until this one.
        from = std::max(from, (change - 1)->time);
        break;
      }
      held -= change->by;
    }
    const double start = place(from, seconds, pass);
    change(start, 1);
    return start + seconds;
  }

  double place_backward(double from, double seconds, const PipelinePass& pass) {
    const double end = place(from, seconds, pass) + seconds;
    waiting_.push_back({end, pass});
    return end;
  }

  /// Places the oldest weight gradients that wait and frees their activation; false when none wait.
  bool place_weight(const std::vector<ChunkCost>& costs) {
    if (next_weight_ == waiting_.size()) return false;
    const Waiting weight = waiting_[next_weight_++];
    const double seconds = costs[static_cast<std::size_t>(weight.pass.chunk)].backward_weight;
    const double start =
        place(weight.after, seconds, {PassKind::backward_weight, weight.pass.chunk, weight.pass.micro_batch});
    change(start + seconds, -1);
    return true;
  }

  PassOrder order() const {
    PassOrder out;
    for (const Entry& entry : entries_) out.push_back(entry.pass);
    return out;
  }

 private:
  struct Entry {
    double start;
    double end;
    PipelinePass pass;
  };
  struct Waiting {
    double after;
    PipelinePass pass;
  };
  struct Change {
    double time;
    std::int32_t by;
  };

  /// The start of a new pass in the first gap that is wide enough.
  double place(double from, double seconds, const PipelinePass& pass) {
    auto at = std::partition_point(entries_.begin(), entries_.end(), [from](const Entry& e) { return e.end <= from; });
    // Rounding must not close a gap that fits to the bit.
    const double slack = seconds * 1e-9;
    for (; at != entries_.end() && at->start < from + seconds - slack; ++at) from = std::max(from, at->end);
    entries_.insert(at, {from, from + seconds, pass});
    return from;
  }

  void change(double time, std::int32_t by) {
    const auto at =
        std::partition_point(changes_.begin(), changes_.end(), [time](const Change& c) { return c.time <= time; });
    changes_.insert(at, {time, by});
    held_ += by;
  }

  std::vector<Entry> entries_;
  std::vector<Change> changes_;
  std::vector<Waiting> waiting_;
  std::size_t next_weight_ = 0;
  std::int32_t held_ = 0;  ///< in the end
  std::int32_t most_;
};

double place_forward(Agenda& agenda, double from, const std::vector<ChunkCost>& costs, const PipelinePass& pass) {
  for (;;) {
    const double end = agenda.place_forward(from, costs[static_cast<std::size_t>(pass.chunk)].forward, pass);
    if (end >= 0) return end;
    if (!agenda.place_weight(costs)) return from;
  }
}

}  // namespace

PipelineOrder v_shaped_order(const PipelineSize& size, const PipelineCosts& costs, std::int32_t most_chunks) {
  std::vector<Agenda> agendas(static_cast<std::size_t>(size.ranks), Agenda(std::max(2, most_chunks)));
  for (std::int32_t i = 0; i < size.micro_batches; ++i) {
    double now = 0;
    for (std::int32_t stage = 0; stage < 2 * size.ranks; ++stage) {
      const std::int32_t chunk = stage < size.ranks ? 0 : 1;
      const std::size_t rank = static_cast<std::size_t>(chunk == 0 ? stage : 2 * size.ranks - 1 - stage);
      now =
          place_forward(agendas[rank], now, costs.ranks[rank], {PassKind::forward, chunk, i}) + costs.transfer_seconds;
    }
    for (std::int32_t stage = 2 * size.ranks - 1; stage >= 0; --stage) {
      const std::int32_t chunk = stage < size.ranks ? 0 : 1;
      const std::size_t rank = static_cast<std::size_t>(chunk == 0 ? stage : 2 * size.ranks - 1 - stage);
      const double seconds = costs.ranks[rank][static_cast<std::size_t>(chunk)].backward_input;
      now = agendas[rank].place_backward(now, seconds, {PassKind::backward_input, chunk, i}) + costs.transfer_seconds;
    }
  }
  PipelineOrder out;
  out.v_shaped = true;
  for (std::size_t rank = 0; rank < agendas.size(); ++rank) {
    while (agendas[rank].place_weight(costs.ranks[rank])) {
    }
    out.ranks.push_back(agendas[rank].order());
  }
  return out;
}

namespace {

/// Deals out the micro-batches of one rank of DualPipe-V, pass by pass.
struct Dealer {
  PassOrder order;
  std::int32_t forward[2] = {0, 0};
  std::int32_t backward[2] = {0, 0};
  std::int32_t weight[2] = {0, 0};

  void run_forward(std::int32_t chunk) { order.push_back({PassKind::forward, chunk, forward[chunk]++}); }
  void run_input(std::int32_t chunk) { order.push_back({PassKind::backward_input, chunk, backward[chunk]++}); }
  void run_weight(std::int32_t chunk) { order.push_back({PassKind::backward_weight, chunk, weight[chunk]++}); }
  void run_backward(std::int32_t chunk) {
    run_input(chunk);
    run_weight(chunk);
  }
};

PassOrder dual_pipe_v(const PipelineSize& size, std::int32_t rank) {
  Dealer deal;
  const std::int32_t left = size.ranks - rank;  // ranks from here to the bend
  for (std::int32_t i = 0; i < 2 * left - 1; ++i) deal.run_forward(0);
  for (std::int32_t i = 0; i < rank; ++i) {
    deal.run_forward(1);
    deal.run_forward(0);
  }
  for (std::int32_t i = 0; i < left; ++i) {
    deal.run_forward(1);
    deal.run_backward(1);
  }
  while (deal.forward[1] < deal.forward[0] || deal.forward[0] < size.micro_batches) {
    if (deal.forward[0] < size.micro_batches) deal.run_forward(0);
    deal.run_backward(0);
    deal.run_forward(1);
    deal.run_backward(1);
  }
  // The pipeline drains: input gradients first, weight gradients where a rank would wait.
  for (std::int32_t i = 0; i < rank; ++i) {
    deal.run_input(0);
    deal.run_input(1);
  }
  for (std::int32_t i = 0; i < left; ++i) {
    deal.run_input(0);
    deal.run_weight(0);
  }
  while (deal.weight[1] < deal.backward[1]) deal.run_weight(1);
  while (deal.weight[0] < deal.backward[0]) deal.run_weight(0);
  return deal.order;
}

}  // namespace

PipelineOrder dual_pipe_v_order(const PipelineSize& size) {
  PipelineOrder out;
  out.v_shaped = true;
  for (std::int32_t rank = 0; rank < size.ranks; ++rank) out.ranks.push_back(dual_pipe_v(size, rank));
  return out;
}

}  // namespace primus_plan
