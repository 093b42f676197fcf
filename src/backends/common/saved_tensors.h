#pragma once

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// The large tensors of a layer that policies and compilers choose among when they decide what to keep for the backward
/// pass; sets of them are sums. The layer's own input is always kept.
enum SavedTensor : unsigned {
  saved_query = 1U << 0,
  saved_key = 1U << 1,
  saved_value = 1U << 2,
  saved_attention = 1U << 3,  ///< what attention gives, before the output projection
  saved_output = 1U << 4,     ///< of the output projection: what the second half of the layer starts from
  saved_up = 1U << 5,
  saved_gate = 1U << 6,
  saved_down = 1U << 7,          ///< result of the feed-forward block; only a norm behind it needs it again
  saved_expert_input = 1U << 8,  ///< tokens as they are dealt to the experts
  saved_expert_up = 1U << 9,
  saved_expert_gate = 1U << 10,
  saved_expert_down = 1U << 11,
  saved_low_rank = 1U << 12,  ///< latents of q, k and v
};
inline constexpr unsigned saved_qkv = saved_query | saved_key | saved_value;

/// Share of the activations of all layers that these tensors are, from 0 to 1, the layers' inputs included. The whole
/// is what kernels of one operation each would keep.
double kept_share(const ModelShape& model, unsigned saved);

}  // namespace primus_plan
