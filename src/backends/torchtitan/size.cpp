#include "backends/torchtitan/size.h"

#include <cmath>

#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/parsed.h"

namespace primus_plan::torchtitan {
namespace {

/// Width of a llama's feed-forward block. Source: torchtitan/models/llama3/model/model.py:FeedForward.
Int ffn_width(const Architecture& a) {
  if (a.ffn_dim > 0 || a.multiple_of <= 0) return a.ffn_dim;
  const double two_thirds = std::floor(2.0 * 4.0 * static_cast<double>(a.dim) / 3.0);
  const Int width = static_cast<Int>(a.ffn_multiplier * two_thirds);
  return (width + a.multiple_of - 1) / a.multiple_of * a.multiple_of;
}

/// llama 4 sizes its experts so that one routed and the shared one together are as wide as the dense block. Source:
/// torchtitan/models/llama4/model/model.py:TransformerBlock.
Int expert_width(const Architecture& a, Int ffn) {
  if (a.expert_dim > 0 || a.multiple_of <= 0) return a.expert_dim;
  const Int width = ffn / (a.experts.top_k + a.experts.shared);
  return (width + a.multiple_of - 1) / a.multiple_of * a.multiple_of;
}

}  // namespace

Dimensions dimensions(const Node& params) {
  TorchTitanConfig config;
  read_fields(fields(), params, config, config.bad_values);
  const Architecture a = parse_keys(config, params).architecture;
  Dimensions out;
  out.layers = a.layers;
  out.hidden = a.dim;
  out.heads = a.heads;
  out.kv_heads = a.kv_heads;
  out.head_width = a.head_dim;
  out.q_rank = a.q_lora_rank;
  out.kv_rank = a.kv_lora_rank;
  out.nope_width = a.qk_nope_head_dim;
  out.rope_width = a.qk_rope_head_dim;
  out.value_width = a.v_head_dim;
  out.ffn = ffn_width(a);
  if (a.moe) {
    out.experts = a.experts.count;
    out.experts_per_token = a.experts.top_k;
    out.expert_ffn = expert_width(a, out.ffn);
    out.shared_ffn = out.expert_ffn * a.experts.shared;
    out.dense_layers = a.dense_layers + (a.moe_every > 1 ? a.layers - a.layers / a.moe_every : 0);
  }
  out.vocabulary = a.vocab;
  out.tied_embeddings = a.tied_embeddings;
  out.longest_sequence = a.max_seq_len;
  return out;
}

}  // namespace primus_plan::torchtitan
