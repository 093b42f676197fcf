#pragma once

#include "backends/torchtitan/model.h"

namespace primus_plan::torchtitan {

/// Numbers of an architecture that TorchTitan computes while it builds the layers.
struct Dimensions {
  Int head_width = 0;
  Int kv_heads = 0;
  Int ffn = 0;         ///< hidden width of a dense feed-forward block
  Int expert_ffn = 0;  ///< of one expert
  Int moe_layers = 0;
};
/// Heads of keys and values.
inline Int kv_heads_of(const Architecture& model) { return model.kv_heads > 0 ? model.kv_heads : model.heads; }

/// Sources: torchtitan/models/llama3/model/model.py:FeedForward, models/llama4/model/model.py:TransformerBlock.
Dimensions dimensions_of(const Architecture& model, Family family);

/// Whether this layer, from 0, is a mixture of experts.
bool has_experts(const Architecture& model, Family family, Int layer);

}  // namespace primus_plan::torchtitan
