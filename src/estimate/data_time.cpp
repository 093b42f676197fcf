#include "estimate/data_time.h"

#include <algorithm>

#include "estimate/states.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

namespace {

/// Ranks that hold the same dense weights, and those that hold the same experts.
struct Groups {
  CommunicationGroup dense;
  CommunicationGroup expert;
  CommunicationGroup dense_copies;
};

Groups groups(const Workload& w) {
  const Degrees& d = w.run.degrees;
  const std::int64_t inside = std::max<std::int64_t>(1, d.tensor);
  const std::int64_t all = saturating_multiply(std::max<std::int64_t>(1, d.data), std::max<std::int64_t>(1, d.context));
  const std::int64_t expert_inside =
      saturating_multiply(std::max<std::int64_t>(1, d.expert), std::max<std::int64_t>(1, d.expert_tensor));
  const std::int64_t shards = std::clamp<std::int64_t>(w.sharding.dense_shards, 1, all);
  const std::int64_t expert_all = std::max<std::int64_t>(1, d.expert_data);
  if (w.sharding.state == StateSharding::none) return {{all, inside}, {expert_all, expert_inside}, {1, 1}};
  return {{shards, inside},
          {std::clamp<std::int64_t>(w.sharding.expert_shards, 1, std::max(expert_all, shards)), expert_inside},
          {std::max<std::int64_t>(1, w.sharding.replicas), saturating_multiply(inside, shards)}};
}

struct Exchange {
  double gather = 0;   ///< weights
  double scatter = 0;  ///< gradients
};

Exchange whole_exchange(const TimeModel& model, const LayerSeconds& rank) {
  const Workload& w = model.workload;
  const Groups g = groups(w);
  // FSDP casts what it gathers to the format of the products.
  const bool is_cast = w.precision.weights == NumberFormat::fp32 && w.sharding.state == StateSharding::weights;
  const double weight = is_cast ? gathered_bytes(w) : bytes_of(w.precision.weights);
  const double gradient = bytes_of(w.precision.gradients);
  const Network& net = model.network;
  Exchange out;
  if (w.sharding.state == StateSharding::none) {
    out.scatter = net.all_reduce(g.dense, rank.dense_weights * gradient) +
                  net.all_reduce(g.expert, rank.expert_weights * gradient);
    return out;
  }
  out.gather =
      net.all_gather(g.dense, rank.dense_weights * weight) + net.all_gather(g.expert, rank.expert_weights * weight);
  out.scatter = net.reduce_scatter(g.dense, rank.dense_weights * gradient) +
                net.reduce_scatter(g.expert, rank.expert_weights * gradient);
  const double shards = static_cast<double>(g.dense.size);
  out.scatter += net.all_reduce(g.dense_copies, rank.dense_weights * gradient / shards);
  return out;
}

}  // namespace

double exposed_data_exchange(const TimeModel& model, const LayerSeconds& rank, double micro_batches) {
  const Workload& w = model.workload;
  const TimeConstants& c = model.constants;
  const Exchange whole = whole_exchange(model, rank);
  const double forward = rank.forward.total();
  const double backward = rank.backward.total();
  if (w.sharding.state == StateSharding::weights) {
    const auto exposed = [&c](double exchange, double hidden_by) {
      return std::max(c.shard_floor * exchange, exchange - c.shard_hidden * hidden_by);
    };
    const double again = w.sharding.keeps_gathered_weights ? 0 : 1;
    return micro_batches * (exposed(whole.gather, forward) + exposed(again * whole.gather + whole.scatter, backward));
  }
  const auto exposed = [&c](double exchange, double hidden_by, bool overlapped) {
    return overlapped ? std::max(c.data_floor * exchange, exchange - c.data_hidden * hidden_by) : exchange;
  };
  return exposed(whole.gather, forward, w.overlap.parameter_gather) +
         exposed(whole.scatter, backward, w.overlap.gradient_reduce);
}

double optimizer_seconds(const TimeModel& model, const LayerSeconds& rank) {
  const Sharding& s = model.workload.sharding;
  const auto split = [&s](double weights, std::int64_t shards) {
    return s.state == StateSharding::none ? weights : weights / static_cast<double>(std::max<std::int64_t>(1, shards));
  };
  const double weights = split(rank.dense_weights, s.dense_shards) + split(rank.expert_weights, s.expert_shards);
  return model.bytes(weights * model.constants.optimizer_bytes);
}

}  // namespace primus_plan
