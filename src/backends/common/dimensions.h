#pragma once

#include "primus_plan/backends/model_size.h"

namespace primus_plan {

/// What parameters are counted from, in one vocabulary for all frameworks.
struct Dimensions {
  std::int64_t layers = 0;
  std::int64_t dense_layers = 0;  ///< layers without routed experts
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_width = 0;  ///< 0 = hidden / heads
  // Latent attention, where kv_rank is not 0.
  std::int64_t q_rank = 0;  ///< 0 = q is projected directly
  std::int64_t kv_rank = 0;
  std::int64_t nope_width = 0;
  std::int64_t rope_width = 0;
  std::int64_t value_width = 0;
  std::int64_t ffn = 0;
  bool gated = true;
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_ffn = 0;  ///< width of all shared experts of a layer together
  std::int64_t vocabulary = 0;
  bool tied_embeddings = false;
  std::int64_t longest_sequence = 0;
};

/// Counts the parameters.
ModelSize size_of(const Dimensions& dimensions);

}  // namespace primus_plan
