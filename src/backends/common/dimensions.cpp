#include "backends/common/dimensions.h"

namespace primus_plan {
namespace {

double real(std::int64_t number) { return static_cast<double>(number); }

double attention_parameters(const Dimensions& d) {
  const double hidden = real(d.hidden);
  const double heads = real(d.heads);
  if (d.kv_rank > 0) {
    const double q_width = heads * real(d.nope_width + d.rope_width);
    const double q = d.q_rank > 0 ? real(d.q_rank) * (hidden + q_width) : hidden * q_width;
    const double kv =
        hidden * real(d.kv_rank + d.rope_width) + real(d.kv_rank) * heads * real(d.nope_width + d.value_width);
    return q + kv + heads * real(d.value_width) * hidden;
  }
  const double width = d.head_width > 0 ? real(d.head_width) : d.heads > 0 ? hidden / heads : 0;
  const double kv_heads = d.kv_heads > 0 ? real(d.kv_heads) : heads;
  return 2 * hidden * width * (heads + kv_heads);
}

}  // namespace

ModelSize size_of(const Dimensions& d) {
  const double projections = d.gated ? 3 : 2;
  const double moe_layers = d.experts > 0 ? real(d.layers - d.dense_layers) : 0;
  const double dense_layers = real(d.layers) - moe_layers;
  const double hidden = real(d.hidden);
  ModelSize out{.layers = d.layers,
                .hidden = d.hidden,
                .heads = d.heads,
                .kv_heads = d.kv_heads > 0 ? d.kv_heads : d.heads,
                .ffn = d.ffn,
                .vocabulary = d.vocabulary,
                .longest_sequence = d.longest_sequence,
                .experts = d.experts,
                .experts_per_token = d.experts > 0 ? d.experts_per_token : 0,
                .expert_ffn = d.experts > 0 ? d.expert_ffn : 0};
  out.dense_parameters = real(d.vocabulary) * hidden * (d.tied_embeddings ? 1 : 2) +
                         real(d.layers) * attention_parameters(d) + dense_layers * projections * hidden * real(d.ffn) +
                         moe_layers * projections * hidden * real(d.shared_ffn);
  out.expert_parameters = moe_layers * real(d.experts) * projections * hidden * real(d.expert_ffn);
  return out;
}

}  // namespace primus_plan
