#pragma once

#include "estimate/layers.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Degrees and lengths that activations depend on, as numbers.
struct ActivationContext {
  double tokens = 0;          ///< of a micro-batch on one rank
  double sequence = 0;        ///< tokens of a sample
  double tensor = 1;          ///< t
  double sequence_split = 1;  ///< t with sequence parallel, else 1
  double expert_tensor = 1;
  double imbalance = 1;     ///< tokens of the fullest rank over the mean
  double element = 2;       ///< bytes of an activation
  double stored_input = 2;  ///< bytes of an input that a matrix product keeps: 1 for fp8
};
ActivationContext activation_context(const Workload& workload);

/// Bytes that one layer saves for its backward pass, for each token on the rank.
struct LayerActivations {
  double full = 0;   ///< nothing recomputed
  double kept = 0;   ///< under the run's selective recompute
  double input = 0;  ///< the layer's input alone: what full recompute keeps
};

/// Source of the terms: Korthikanti et al. 2022, section 4, redone for grouped queries, gated feed-forward, experts and
/// latent attention with what Transformer Engine saves: the input, the norm's output, the fused qkv output (which v
/// keeps alive as a view), rotated q and k, the context, softmax statistics, both sides of the activation function.
LayerActivations layer_activations(const Workload& workload, const ActivationContext& c, const LayerKind& kind);

/// Bytes that gradients of the widest tensors of one layer take while it runs backward, for each token.
double layer_gradients(const ModelShape& model, const ActivationContext& c, FeedForward feed_forward);

}  // namespace primus_plan
