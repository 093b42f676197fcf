#include <algorithm>

#include "planner/advise_parts.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

constexpr std::int64_t most_nodes = 512;

/// A run of one sample at a time on so many GPUs, with one copy of what is shared out: what needs least. The copies and
/// shards that the experiment has are its own choice for its own size.
Wish smallest_run(std::int64_t gpus, std::int64_t tensor, std::int64_t pipeline, std::int64_t expert) {
  Wish wish;
  wish.world_size = gpus;
  wish.degrees.tensor = tensor;
  wish.degrees.pipeline = pipeline;
  wish.degrees.context = 1;
  wish.degrees.expert = expert;
  wish.degrees.data_replicate = 1;
  wish.degrees.data_shard = gpus / (tensor * pipeline);
  wish.micro = 1;
  // Enough micro-batches to fill the pipeline once.
  wish.global = gpus / (tensor * pipeline) * pipeline;
  return wish;
}

double memory_of(const Trial& trial) { return trial.estimate ? trial.estimate->memory.device.expected : 0; }

class Finder {
 public:
  Finder(const Trials& trials, const Trial& now) : trials_(trials), now_(now) {}

  Footprint find() {
    const std::int64_t node = std::max<std::int64_t>(now_.analysis.run.launch.gpus_per_node, 1);
    if (const auto alone = trials_.run(smallest_run(1, 1, 1, 1))) out_.one_gpu_bytes = memory_of(*alone);
    if (holds(1, 1, 1, 1)) return found(Home::one_gpu);
    for (const std::int64_t tensor : divisors(node)) {
      if (any_expert(node, tensor, 1)) return found(Home::one_node);
    }
    for (std::int64_t nodes = 2; nodes <= most_nodes; nodes *= 2) {
      for (std::int64_t pipeline = 1; pipeline <= nodes; pipeline *= 2) {
        for (const std::int64_t tensor : divisors(node)) {
          if (any_expert(nodes * node, tensor, pipeline)) return found(Home::several_nodes);
        }
      }
    }
    return out_;
  }

 private:
  bool any_expert(std::int64_t gpus, std::int64_t tensor, std::int64_t pipeline) {
    if (now_.analysis.run.experts == 0) return holds(gpus, tensor, pipeline, 1);
    for (const std::int64_t expert : divisors(gpus / pipeline)) {
      if (now_.analysis.run.experts % expert == 0 && holds(gpus, tensor, pipeline, expert)) return true;
    }
    return false;
  }

  bool holds(std::int64_t gpus, std::int64_t tensor, std::int64_t pipeline, std::int64_t expert) {
    const auto trial = trials_.run(smallest_run(gpus, tensor, pipeline, expert));
    if (!trial || !trial->may_fit()) return false;
    out_.gpus = gpus;
    out_.degrees = trial->analysis.run.degrees;
    out_.memory_bytes = memory_of(*trial);
    const Sharding& sharding = trial->analysis.workload->sharding;
    out_.weight_shards = sharding.state == StateSharding::weights ? sharding.dense_shards : 1;
    return true;
  }

  Footprint found(Home home) {
    out_.home = home;
    return out_;
  }

  const Trials& trials_;
  const Trial& now_;
  Footprint out_;
};

}  // namespace

std::string_view to_string(Home home) {
  switch (home) {
    case Home::one_gpu:
      return "one GPU";
    case Home::one_node:
      return "one node";
    case Home::several_nodes:
      return "several nodes";
    case Home::nowhere:
      return "no number of nodes that was tried";
  }
  return "";
}

Footprint find_footprint(const Trials& trials, const Trial& now) { return Finder(trials, now).find(); }

}  // namespace primus_plan
