#pragma once

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Floating point operations of a run, forward and backward (three times the forward pass), a multiply-add being two.
/// Two counts: the framework's own, which its log's TFLOP/s and MFU are based on, and one that is the same for all
/// frameworks, so that their MFU can be compared.
///
/// The common count is the work that the model asks for: every matrix product that a token goes through, with the
/// router and the experts it is sent to, the output layer over the tokenizer's vocabulary (no padding), each prediction
/// layer with its output; causal attention counted half, windows and chunks by the pairs they look at; recurrent mixers
/// by their state updates. Embedding look-ups, norms, activation functions and recomputation are not counted.
struct FlopsEstimate {
  double common_per_token = 0;
  double common_attention_per_token = 0;  ///< part of it that grows with the sequence
  double counted_per_token = 0;           ///< 0 = the framework cannot count this model
  double tokens_per_step = 0;
  double world_size = 0;

  double common_per_step() const { return common_per_token * tokens_per_step; }
  double counted_per_step() const { return counted_per_token * tokens_per_step; }
  double common_per_gpu() const { return world_size > 0 ? common_per_step() / world_size : 0; }
  double counted_per_gpu() const { return world_size > 0 ? counted_per_step() / world_size : 0; }
};

/// Zeros where the model's dimensions are not known.
FlopsEstimate estimate_flops(const Workload& workload);

/// Pairs of a token and another that its attention looks at, on average over a sequence; causal.
double average_context(const LayerKind& kind, std::int64_t sequence_length);

}  // namespace primus_plan
