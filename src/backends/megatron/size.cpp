#include "backends/megatron/size.h"

#include <algorithm>

#include "backends/common/vocabularies.h"
#include "backends/megatron/fields.h"
#include "backends/megatron/parsed.h"

namespace primus_plan::megatron {
namespace {

/// Stands for the vocabulary of a tokenizer that is not in the table.
constexpr Int usual_vocabulary = 128'000;

Int layers_without_experts(const LayerFrequency& frequency, Int layers) {
  if (!frequency.pattern.empty()) return std::ranges::count(frequency.pattern, 0);
  const Int every = frequency.every.value_or(1);
  return every > 0 ? layers - (layers + every - 1) / every : 0;
}

/// Megatron takes the vocabulary from the tokenizer unless the config has a number.
Int vocabulary(const MegatronConfig& config, const Node& params) {
  if (config.padded_vocab_size.value) return *config.padded_vocab_size.value;
  if (config.vocab_size.value) return *config.vocab_size.value;
  const Node* tokenizer = params.get("tokenizer_model");
  const Int known = tokenizer != nullptr && tokenizer->is_string() ? vocabulary_of(tokenizer->text) : 0;
  return known > 0 ? known : usual_vocabulary;
}

Int value_or(const MaybeCount& field, Int otherwise) { return field.value.value_or(otherwise); }

}  // namespace

Dimensions dimensions(const Node& params) {
  MegatronConfig config;
  read_fields(fields(), params, config, config.bad_values);
  const ParsedKeys parsed = parse_keys(config);
  Dimensions out;
  out.layers = value_or(config.num_layers, 0);
  out.hidden = value_or(config.hidden_size, 0);
  out.heads = value_or(config.num_attention_heads, 0);
  out.kv_heads = *config.group_query_attention ? value_or(config.num_query_groups, 0) : 0;
  out.head_width = value_or(config.kv_channels, 0);
  if (*config.multi_latent_attention) {
    out.q_rank = value_or(config.q_lora_rank, 0);
    out.kv_rank = *config.kv_lora_rank;
    out.nope_width = *config.qk_head_dim;
    out.rope_width = *config.qk_pos_emb_head_dim;
    out.value_width = *config.v_head_dim;
  }
  out.gated = *config.swiglu;
  out.ffn = value_or(config.ffn_hidden_size, 4 * out.hidden);
  out.experts = value_or(config.num_experts, 0);
  if (out.experts > 0) {
    out.dense_layers = layers_without_experts(parsed.moe_layers, out.layers);
    out.experts_per_token = value_or(config.moe_router_topk, 0);
    out.expert_ffn = value_or(config.moe_ffn_hidden_size, out.ffn);
    out.shared_ffn = value_or(config.moe_shared_expert_intermediate_size, 0);
  }
  out.vocabulary = vocabulary(config, params);
  out.tied_embeddings = !*config.untie_embeddings_and_output_weights;
  out.longest_sequence = value_or(config.max_position_embeddings, 0);
  return out;
}

}  // namespace primus_plan::megatron
