#pragma once

#include <cstdint>
#include <vector>

#include "primus_plan/backends/model_size.h"

namespace primus_plan {

/// How a framework keeps the model's state.
enum class StateLayout : std::uint8_t {
  optimizer_shards,  ///< bf16 weights and fp32 gradients on each replica, Adam's states shared (Megatron)
  weight_shards,     ///< weights, gradients and Adam's states shared (FSDP)
};

/// What a first layout is wanted for.
struct GuessTask {
  ModelSize model;
  std::int64_t gpus = 8;
  std::int64_t gpus_per_node = 8;
  double memory_bytes = 0;  ///< of one GPU
  std::int64_t sequence_length = 4096;
  StateLayout state = StateLayout::optimizer_shards;
  double shared_bytes_of_parameter = 16;  ///< weight_shards: weights, gradients and Adam's states together
  bool pipelines = true;                  ///< pipeline parallel may be used
  bool context_needs_keys = false;        ///< context parallel needs other keys than its degree
  bool splits_within_node = false;  ///< tensor, context and expert parallel share out a node's GPUs (MaxText's mesh)
};

/// A layout with what it needs.
struct FirstGuess {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::int64_t shards = 1;  ///< weight_shards: GPUs that share a copy of the weights, context parallel ranks included
  std::int64_t data = 1;    ///< replicas that see different samples
  std::int64_t micro_batch = 1;
  std::int64_t global_batch = 1;
  bool recompute = false;            ///< full recompute of every layer
  bool recompute_is_choice = false;  ///< ... though it is known to fit without
  double bytes = 0;                  ///< on the fullest GPU, by a rough count
  bool fits = false;
};

/// Samples of a step of a layout: about four million tokens for a large model, one million for a small one, and enough
/// micro-batches for its pipeline.
std::int64_t usual_batch(const GuessTask& task, const FirstGuess& guess);

/// Layouts for a task, the one to prefer first: those that fit, by how little they split the model and how little of
/// it leaves a node; then those that do not, by their need. Bytes are a rough count: states of the parameters
/// (Megatron 6 + 12 / DP, FSDP 16 / shards: ZeRO, Rajbhandari et al. 2020, section 3.1, with fp32 gradients; 8 / shards
/// where all of it is bf16),
/// activations of a flash-attention layer, logits, and an allowance for the runtime. Whether a framework takes a layout
/// is not asked here.
std::vector<FirstGuess> first_guesses(const GuessTask& task);

}  // namespace primus_plan
