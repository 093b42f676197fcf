#include "planner/translate_dimensions.h"

#include <array>
#include <string>
#include <vector>

#include "planner/translate_shape.h"

namespace primus_plan {
namespace {

constexpr std::array<Dimension, 18> dimensions{{
    {"layers", &ModelShape::layers, "num_layers", "model.n_layers", "override_model.base_num_decoder_layers"},
    {"hidden size", &ModelShape::hidden, "hidden_size", "model.dim", "override_model.base_emb_dim"},
    {"attention heads", &ModelShape::heads, "num_attention_heads", "model.n_heads",
     "override_model.base_num_query_heads"},
    {"key-value heads", &ModelShape::kv_heads, "num_query_groups", "model.n_kv_heads",
     "override_model.base_num_kv_heads"},
    {"head width", &ModelShape::head_width, "kv_channels", "", "override_model.head_dim"},
    {"feed-forward size", &ModelShape::ffn, "ffn_hidden_size", "", "override_model.base_mlp_dim"},
    {"experts", &ModelShape::experts, "num_experts", "", "override_model.num_experts"},
    {"experts a token", &ModelShape::experts_per_token, "moe_router_topk", "", "override_model.num_experts_per_tok"},
    {"expert feed-forward size", &ModelShape::expert_ffn, "moe_ffn_hidden_size", "", "override_model.base_moe_mlp_dim"},
    {"shared expert size", &ModelShape::shared_ffn, "moe_shared_expert_intermediate_size", "", ""},
    {"latent rank of queries", &ModelShape::q_rank, "q_lora_rank", "model.q_lora_rank", "override_model.q_lora_rank"},
    {"latent rank of keys and values", &ModelShape::kv_rank, "kv_lora_rank", "model.kv_lora_rank",
     "override_model.kv_lora_rank"},
    {"head width without positions", &ModelShape::nope_width, "qk_head_dim", "model.qk_nope_head_dim",
     "override_model.qk_nope_head_dim"},
    {"head width of positions", &ModelShape::rope_width, "qk_pos_emb_head_dim", "model.qk_rope_head_dim",
     "override_model.qk_rope_head_dim"},
    {"head width of values", &ModelShape::value_width, "v_head_dim", "model.v_head_dim", "override_model.v_head_dim"},
    {"vocabulary", &ModelShape::vocabulary, "vocab_size", "model.vocab_size", "override_model.vocab_size"},
    {"rope base", &ModelShape::rope_base, "rotary_base", "model.rope_theta", "override_model.rope_max_timescale"},
    {"prediction layers", &ModelShape::mtp_depth, "mtp_num_layers", "", "override_model.mtp_num_layers"},
}};

constexpr std::array<Property, 5> properties{{
    {"biases of queries, keys and values", &ModelShape::qkv_bias, "add_qkv_bias", false, ""},
    {"normed queries and keys", &ModelShape::qk_norm, "qk_layernorm", false, ""},
    {"biases of all linear layers", &ModelShape::biases, "add_bias_linear", false, ""},
    {"LayerNorm", &ModelShape::layer_norm_bias, "", false, ""},
    {"an output layer tied to the embedding", &ModelShape::tied_embeddings, "untie_embeddings_and_output_weights", true,
     "override_model.logits_via_embedding"},
}};

/// TorchTitan's families: qwen3 is the one that norms queries and keys, deepseek_v3 the one with latent attention.
enum class TitanFamily : std::uint8_t { other, qwen3, deepseek };
TitanFamily titan_family(const ModelShape& preset) {
  if (preset.kv_rank > 0) return TitanFamily::deepseek;
  return preset.qk_norm ? TitanFamily::qwen3 : TitanFamily::other;
}

/// A key that one of TorchTitan's families has. Source: torchtitan/models/*/model/args.py.
struct TitanKey {
  TitanFamily family;
  std::int64_t ModelShape::*member;
  std::string_view key;
};
constexpr std::array<TitanKey, 4> titan_keys{{{TitanFamily::qwen3, &ModelShape::head_width, "model.head_dim"},
                                              {TitanFamily::qwen3, &ModelShape::ffn, "model.hidden_dim"},
                                              {TitanFamily::deepseek, &ModelShape::ffn, "model.inter_dim"},
                                              {TitanFamily::deepseek, &ModelShape::expert_ffn, "model.moe_inter_dim"}}};

}  // namespace

std::span<const Dimension> model_dimensions() { return dimensions; }
std::span<const Property> model_properties() { return properties; }

std::string_view key_of(const Dimension& dimension, std::string_view framework, const ModelShape& preset) {
  if (framework == "megatron") return dimension.megatron;
  if (framework == "maxtext") return dimension.maxtext;
  for (const TitanKey& key : titan_keys) {
    if (key.member == dimension.member && key.family == titan_family(preset)) return key.key;
  }
  return dimension.torchtitan;
}

std::string_view key_of(const Property& property, std::string_view framework, const ModelShape& preset) {
  if (framework == "megatron") return property.megatron;
  if (framework == "maxtext") return property.maxtext;
  if (titan_family(preset) != TitanFamily::qwen3) return {};
  if (property.member == &ModelShape::tied_embeddings) return "model.enable_weight_tying";
  return property.member == &ModelShape::qk_norm ? "model.qk_norm" : std::string_view();
}

std::vector<std::string> dimension_keys(std::string_view framework) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view key) {
    if (key.empty()) return;
    out.emplace_back(key);
    // Of a model without a model file, MaxText's keys stand on their own.
    if (constexpr std::string_view map = "override_model."; key.starts_with(map))
      out.emplace_back(key.substr(map.size()));
  };
  ModelShape latent;
  latent.kv_rank = 1;
  ModelShape normed;
  normed.qk_norm = true;
  for (const ModelShape& preset : {ModelShape(), latent, normed}) {
    for (const Dimension& dimension : model_dimensions()) add(key_of(dimension, framework, preset));
    for (const Property& property : model_properties()) add(key_of(property, framework, preset));
  }
  if (framework == "megatron") {
    for (const char* key : {"group_query_attention", "moe_layer_freq", "swiglu", "normalization"}) add(key);
  }
  if (framework == "torchtitan") add("model.n_dense_layers");
  if (framework == "maxtext") add("override_model.first_num_dense_layers");
  return out;
}

}  // namespace primus_plan
