#include "backends/megatron/flops.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace primus_plan::megatron {
namespace {

double number(Int value) { return static_cast<double>(value); }
double number(const Count& field) { return static_cast<double>(*field); }
double number(const MaybeCount& field) { return field.value ? static_cast<double>(*field.value) : 0; }

/// The arguments that every formula uses, as validate_args leaves them.
struct Numbers {
  explicit Numbers(const MegatronConfig& config)
      : hidden(number(config.hidden_size)),
        length(number(config.seq_length)),
        heads(number(config.num_attention_heads)),
        width(config.kv_channels.value ? number(config.kv_channels) : (heads > 0 ? hidden / heads : 0)),
        groups(*config.group_query_attention ? number(config.num_query_groups) : heads),
        ffn(number(config.ffn_hidden_size)),
        expert_ffn(config.moe_ffn_hidden_size.value ? number(config.moe_ffn_hidden_size) : ffn),
        shared_ffn(number(config.moe_shared_expert_intermediate_size)),
        products(*config.swiglu ? 3 : 2) {}
  double hidden, length, heads, width, groups, ffn, expert_ffn, shared_ffn, products;
};

/// Forward multiply-adds of one token.
double experts(const MegatronConfig& config, const Numbers& n) {
  const double chosen = n.expert_ffn * number(config.moe_router_topk) * n.products;
  const double shared = n.hidden * n.shared_ffn * n.products;
  if (!config.moe_latent_size.value) return n.hidden * chosen + shared;
  const double latent = number(config.moe_latent_size);
  return latent * chosen + 2 * n.hidden * latent + shared;
}

double latent_attention(const MegatronConfig& config, const Numbers& n) {
  const double width = number(config.qk_head_dim) + number(config.qk_pos_emb_head_dim);
  const double value = number(config.v_head_dim);
  const double q_rank = number(config.q_lora_rank);
  const double query =
      config.q_lora_rank.value ? q_rank * (n.hidden + n.heads * width + 1) : n.hidden * n.heads * width;
  return query + number(config.kv_lora_rank) * (n.hidden + n.heads * (number(config.qk_head_dim) + value) + 1) +
         n.hidden * number(config.qk_pos_emb_head_dim) + n.heads * value * n.hidden +
         n.length * n.heads * (width + value) / 2;
}

double attention(const MegatronConfig& config, const Numbers& n) {
  if (*config.multi_latent_attention) return latent_attention(config, n);
  const double query = n.width * n.heads;
  const double gate = *config.attention_output_gate ? query : 0;
  return n.hidden * (query + 2 * n.width * n.groups + gate) + query * n.length + query * n.hidden;
}

double gated_delta(const MegatronConfig& config, const Numbers& n) {
  const double keys = number(config.linear_key_head_dim) * number(config.linear_num_key_heads);
  const double value_width = number(config.linear_value_head_dim);
  const double value_heads = number(config.linear_num_value_heads);
  const double values = value_width * value_heads;
  return n.hidden * (2 * keys + 2 * values + 2 * value_heads) +
         number(config.linear_conv_kernel_dim) * (2 * keys + values) + 4 * value_heads * value_width * value_width +
         n.hidden * values;
}

/// linear_attention_freq over this many layers; negative where Megatron stops.
Int linear_layers(const MegatronConfig& config, Int layers) {
  const Node* frequency = config.linear_attention_freq.value;
  if (frequency == nullptr) return -1;
  if (frequency->kind == Kind::integer) return frequency->integer > 0 ? layers - layers / frequency->integer : -1;
  if (!frequency->is_sequence() || static_cast<Int>(frequency->items.size()) != layers) return -1;
  Int out = 0;
  for (const NodePtr& item : frequency->items) out += item->kind == Kind::integer && item->integer == 1 ? 1 : 0;
  return out;
}

/// How many of the decoder's layers have experts, and whether its last one has.
struct ExpertLayers {
  Int count = 0;
  bool last = false;
};
ExpertLayers expert_layers(const MegatronRun& run, Int layers) {
  const LayerFrequency& frequency = run.parsed.moe_layers;
  if (!run.is_moe() || layers <= 0) return {};
  if (!frequency.pattern.empty()) {
    const auto ones = std::count(frequency.pattern.begin(), frequency.pattern.end(), 1);
    return {.count = static_cast<Int>(ones), .last = frequency.pattern.back() == 1};
  }
  const Int every = std::max<Int>(frequency.every.value_or(1), 1);
  return {.count = (layers + every - 1) / every, .last = (layers - 1) % every == 0};
}

double transformer(const MegatronRun& run, const Numbers& n, double vocabulary) {
  const MegatronConfig& config = run.config;
  constexpr Int most = Int{1} << 31;  // no model has more; bounds sums of hostile numbers
  const Int decoder = std::min(config.num_layers.value.value_or(0), most);
  const Int depth = std::min(config.mtp_num_layers.value.value_or(0), most);
  const ExpertLayers with_experts = expert_layers(run, decoder);
  const Int all_experts = with_experts.count + (with_experts.last ? depth : 0);
  const Int dense = decoder + depth - all_experts;
  double mixers = attention(config, n) * number(decoder + depth);
  const std::string_view variant = *config.experimental_attention_variant;
  if (variant == "gated_delta_net") {
    const Int linear = linear_layers(config, decoder + depth);
    if (linear < 0) return 0;
    mixers = gated_delta(config, n) * number(linear) + attention(config, n) * number(decoder + depth - linear);
  }
  return mixers + n.hidden * n.ffn * n.products * number(dense) + experts(config, n) * number(all_experts) +
         number(depth) * (3 * n.hidden + 2 * n.hidden * n.hidden) + n.hidden * vocabulary * number(depth + 1);
}

double mamba(const MegatronConfig& config, const Numbers& n) {
  const double inner = 2 * n.hidden;
  const double state = number(config.mamba_state_dim);
  const double heads = config.mamba_num_heads.value.value_or(0) > 0
                           ? number(config.mamba_num_heads)
                           : std::floor(inner / std::max(number(config.mamba_head_dim), 1.0));
  return n.hidden * (2 * inner + 2 * number(config.mamba_num_groups) * state + heads) + 3.5 * inner * state +
         inner * n.hidden;
}

/// hybrid_flops: attention here is that of a transformer whose heads may be wider or narrower than hidden / heads.
double hybrid(const MegatronRun& run, const Numbers& n, double vocabulary) {
  const MegatronConfig& config = run.config;
  const double share = config.kv_channels.value.value_or(0) > 0 ? n.width * n.heads / n.hidden : 1;
  const double mixer =
      2 * n.hidden * share * (n.hidden + n.hidden * (n.heads > 0 ? n.groups / n.heads : 0) + n.length / 2);
  double out = n.hidden * vocabulary * (1 + number(config.mtp_num_layers));
  const double per_symbol[] = {mixer, n.products * n.hidden * n.ffn, mamba(config, n), experts(config, n),
                               gated_delta(config, n)};
  constexpr std::string_view symbols = "*-MEG";
  for (const std::string& segment : run.parsed.hybrid->segments) {
    for (const char symbol : segment) {
      if (const auto at = symbols.find(symbol); at != std::string_view::npos) out += per_symbol[at];
    }
  }
  return out;
}

}  // namespace

double counted_flops_per_token(const MegatronRun& run, Int padded_vocabulary) {
  const Numbers n(run.config);
  if (n.hidden <= 0 || n.length <= 0 || padded_vocabulary <= 0) return 0;
  const double vocabulary = number(padded_vocabulary);
  constexpr double forward_and_backward = 3;
  constexpr double multiply_add = 2;
  const double forward = run.parsed.hybrid ? hybrid(run, n, vocabulary) : transformer(run, n, vocabulary);
  return forward_and_backward * multiply_add * forward;
}

}  // namespace primus_plan::megatron
