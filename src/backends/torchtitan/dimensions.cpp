#include "backends/torchtitan/dimensions.h"

#include <algorithm>

namespace primus_plan::torchtitan {
namespace {

/// Python's int() of a product with a multiplier.
Int scaled(Int width, double multiplier) { return static_cast<Int>(multiplier * static_cast<double>(width)); }

Int rounded_up(Int value, Int multiple) { return multiple > 0 ? (value + multiple - 1) / multiple * multiple : value; }

/// Two thirds of four times the model's width, before it is rounded up.
Int llama_width(const Architecture& model) { return scaled(2 * (4 * model.dim) / 3, model.ffn_multiplier); }

}  // namespace

bool has_experts(const Architecture& model, Family family, Int layer) {
  if (!model.moe) return false;
  if (family == Family::deepseek_v3) return layer >= model.dense_layers;
  return model.moe_every > 0 && (layer + 1) % model.moe_every == 0;
}

Dimensions dimensions_of(const Architecture& model, Family family) {
  Dimensions out;
  out.head_width = model.head_dim > 0 ? model.head_dim : (model.heads > 0 ? model.dim / model.heads : 0);
  out.kv_heads = kv_heads_of(model);
  out.ffn = model.ffn_dim > 0 ? model.ffn_dim : rounded_up(llama_width(model), model.multiple_of);
  out.expert_ffn = model.expert_dim;
  if (family == Family::llama4) {
    // auto_scale_hidden_dim: the experts that a token meets are as wide as one dense block.
    const Int together = std::max<Int>(model.experts.top_k + model.experts.shared, 1);
    out.expert_ffn = rounded_up(llama_width(model) / together, model.multiple_of);
  }
  for (Int layer = 0; layer < model.layers; ++layer) out.moe_layers += has_experts(model, family, layer) ? 1 : 0;
  return out;
}

}  // namespace primus_plan::torchtitan
