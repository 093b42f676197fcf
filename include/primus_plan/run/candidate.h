#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Which activations a plan recomputes, from none to all. What a level means is the backend's: names of modules, a
/// policy, a mode.
enum class RecomputeLevel : std::uint8_t {
  none,
  light,  ///< what is cheap to make again: norms, activation functions, up-projections of latent attention
  heavy,  ///< light, and feed-forward blocks
  block,  ///< the first `recompute_layers` of each model chunk whole, the others not
  full,   ///< every layer
};
inline constexpr std::size_t recompute_levels = 5;
/// "none", "light" …
std::string_view to_string(RecomputeLevel level);

/// What matrix products are computed in. How a backend asks for it is its own: a format and a recipe, a converter.
enum class PlanPrecision : std::uint8_t {
  as_given,  ///< as the experiment has it
  bf16,
  fp8,    ///< one scale for a tensor, or the experiment's own recipe
  mxfp8,  ///< a scale for 32 numbers
};

/// How layers are dealt to stages.
enum class StageSplit : std::uint8_t {
  even,   ///< the same number on each
  ends,   ///< `first_layers` and `last_layers` on the ends, the same number on each between
  dealt,  ///< as evenly as it goes, embedding, prediction layers and loss counted as a layer each
};

/// What a planner turns. Everything else stays as the experiment has it. Plain numbers: made, compared and copied by
/// the hundred thousand.
struct Candidate {
  std::int64_t world_size = 0;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t chunks = 1;  ///< model chunks on a pipeline rank
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
  std::int64_t replicas = 1;     ///< copies of the sharded state (HSDP)
  std::int64_t micro_batch = 1;  ///< samples that one rank takes through the model at once
  StateSharding sharding = StateSharding::optimizer;
  ScheduleKind schedule = ScheduleKind::none;
  RecomputeLevel recompute = RecomputeLevel::none;
  std::int64_t recompute_layers = 0;  ///< of each chunk, for RecomputeLevel::block
  StageSplit split = StageSplit::even;
  std::int64_t first_layers = 0;  ///< for StageSplit::ends
  std::int64_t last_layers = 0;
  PlanPrecision precision = PlanPrecision::as_given;

  bool operator==(const Candidate&) const = default;
};

/// What all candidates of one search share: what is asked for rather than turned.
struct PlanTask {
  std::int64_t global_batch = 0;     ///< samples of one step
  std::int64_t sequence_length = 0;  ///< tokens of a sample
  std::int64_t layers = 0;           ///< of the decoder
  std::int64_t mtp_layers = 0;
  std::int64_t gpus_per_node = 8;
  bool nanoo_fp8 = false;  ///< the part's fp8 is that of MI300 (no infinities, one zero), not OCP's
};

/// KEY: VALUE pairs (dotted keys, YAML values) that ask a backend for a candidate.
using CandidateOverrides = std::vector<std::pair<std::string, std::string>>;

/// `whole` divided by each of `parts` in turn; 0 when one of them is below 1 or leaves a remainder. Where their product
/// may overflow.
std::int64_t divided_evenly(std::int64_t whole, std::initializer_list<std::int64_t> parts);

/// Data-parallel replicas that see different samples; 0 when the degrees do not divide the world.
std::int64_t data_parallel(const Candidate& candidate);
/// Micro-batches of one step; 0 when the global batch does not divide.
std::int64_t accumulation_steps(const Candidate& candidate, const PlanTask& task);

/// Layers of each of `stages` stages for StageSplit::dealt. Units are dealt one by one: the embedding, each layer, each
/// prediction layer and the loss; stages that get one more lie in the middle. Empty when a stage would be empty, and
/// for more units than any model has.
struct DealtStage {
  bool embedding = false;
  std::int64_t layers = 0;
  std::int64_t mtp_layers = 0;
  bool loss = false;
};
std::vector<DealtStage> deal_stages(std::int64_t layers, std::int64_t mtp_layers, std::int64_t stages);

}  // namespace primus_plan
