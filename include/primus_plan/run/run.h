#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "primus_plan/diagnostics/origin.h"
#include "primus_plan/run/launch.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

/// Sizes of the parallel dimensions. 0 = could not be derived (a fault further up).
struct Degrees {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_pipeline = 1;  ///< model chunks on each pipeline rank
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
  std::int64_t data = 0;            ///< replicas that see different samples
  std::int64_t data_replicate = 0;  ///< copies of the (possibly sharded) model state
  std::int64_t data_shard = 0;      ///< ranks that share one copy of the model state
  std::int64_t expert_data = 0;     ///< replicas of each expert
};

/// Samples per step. 0 = could not be derived.
struct Batch {
  std::int64_t micro = 0;               ///< samples one rank takes through the model at once
  std::int64_t global = 0;              ///< samples of one optimizer step
  std::int64_t accumulation_steps = 0;  ///< Megatron: number of micro-batches
  bool starts_empty = false;            ///< accumulation_steps is known and 0: a ramp that starts below one micro-batch
  std::int64_t sequence_length = 0;     ///< tokens of a sample
  /// Micro-batches that go through the pipeline before it drains, where that is not every accumulation step at once
  /// (TorchTitan cuts each local batch into its own); 0 = accumulation_steps.
  std::int64_t pipeline_micro_batches = 0;
  std::int64_t micro_batches_between_flushes() const {
    return pipeline_micro_batches > 0 ? pipeline_micro_batches : accumulation_steps;
  }
  /// The largest number for what no number can hold.
  std::int64_t tokens_per_step() const { return saturating_multiply(global, sequence_length); }
};

/// Layers that one pipeline rank holds in one model chunk.
struct StageChunk {
  std::int64_t first_layer = 0;  ///< of the decoder, from 0
  std::int64_t layers = 0;
  bool embedding = false;
  bool loss = false;            ///< final norm, output layer and loss
  std::int64_t mtp_layers = 0;  ///< multi-token-prediction layers
};

/// How a pipeline orders forward and backward passes.
enum class PipelineSchedule : std::uint8_t {
  none,         ///< one stage
  one_f_one_b,  ///< one forward, one backward in turn
  interleaved,  ///< the same over several chunks a rank
  gpipe,        ///< all forward, then all backward
  zero_bubble,  ///< weight gradients fill the gaps, the V-shaped kinds included
};

/// The user's own key behind a number of the run, and where it was set. Static name; no origin for a framework default.
struct RunKey {
  const char* name = nullptr;
  Origin origin;
};

/// The keys that decide the degrees and the batch, for messages and edits that know no backend. A dimension the backend
/// has no key for has no name.
struct RunKeys {
  RunKey tensor;
  RunKey pipeline;
  RunKey virtual_pipeline;
  RunKey context;
  RunKey expert;
  RunKey expert_tensor;
  RunKey data_replicate;
  RunKey data_shard;
  RunKey micro_batch;
  RunKey global_batch;
  RunKey sequence_length;
};

/// What a run is, said without any backend's words. Everything after the backends reads only this.
struct RunDescription {
  Launch launch;
  Degrees degrees;
  Batch batch;
  RunKeys keys;
  std::int64_t experts = 0;  ///< routed experts of a MoE layer; 0 = a dense model
  PipelineSchedule schedule = PipelineSchedule::none;
  std::vector<std::vector<StageChunk>> stages;  ///< [pipeline rank][chunk]; empty when the layers cannot be placed
};

}  // namespace primus_plan
