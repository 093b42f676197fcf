#include "backends/maxtext/size.h"

#include "backends/maxtext/layers.h"
#include "primus_plan/config/fields.h"

namespace primus_plan::maxtext {
namespace {

/// The integer of a key, or what MaxText's base.yml has.
Int integer(const Node& values, std::string_view key, Int otherwise) {
  const Node* node = values.get(key);
  return node != nullptr && node->kind == Kind::integer ? node->integer : otherwise;
}

bool is_word(const Node& values, std::string_view key, std::string_view word) {
  const Node* node = values.get(key);
  return node != nullptr && node->is_string() && node->text == word;
}

bool is_true(const Node& values, std::string_view key) {
  const Node* node = values.get(key);
  return node != nullptr && node->kind == Kind::boolean && node->boolean;
}

}  // namespace

Dimensions dimensions(const Node& params, const Environment& environment) {
  const LayeredConfig layers = layer(params, environment);
  const Node& values = *layers.values;
  Dimensions out;
  out.layers = integer(values, "base_num_decoder_layers", 16);
  out.hidden = integer(values, "base_emb_dim", 2048);
  out.heads = integer(values, "base_num_query_heads", 16);
  out.kv_heads = integer(values, "base_num_kv_heads", 16);
  out.head_width = integer(values, "head_dim", 128);
  if (is_word(values, "attention_type", "mla")) {
    out.q_rank = integer(values, "q_lora_rank", 0);
    out.kv_rank = integer(values, "kv_lora_rank", 512);
    out.nope_width = integer(values, "qk_nope_head_dim", 128);
    out.rope_width = integer(values, "qk_rope_head_dim", 64);
    out.value_width = integer(values, "v_head_dim", 128);
  }
  out.ffn = integer(values, "base_mlp_dim", 7168);
  if (const Int experts = integer(values, "num_experts", 1); experts > 1) {
    out.experts = experts;
    out.dense_layers = integer(values, "first_num_dense_layers", 0);
    out.experts_per_token = integer(values, "num_experts_per_tok", 1);
    const Int expert_ffn = integer(values, "base_moe_mlp_dim", -1);  // -1: mixtral's files say base_mlp_dim alone
    out.expert_ffn = expert_ffn > 0 ? expert_ffn : out.ffn;
    out.shared_ffn = out.expert_ffn * integer(values, "shared_experts", 0);
  }
  out.vocabulary = integer(values, "vocab_size", 32'000);
  out.tied_embeddings = is_true(values, "logits_via_embedding");
  out.longest_sequence = integer(values, "max_position_embeddings", 0);
  return out;
}

}  // namespace primus_plan::maxtext
