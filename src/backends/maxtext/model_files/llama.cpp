#include "backends/maxtext/model_files/data.h"

namespace primus_plan::maxtext::model_files {
namespace {

// clang-format off
constexpr Setting llama2_13b[] = {
    {"base_emb_dim", 5120}, {"base_num_query_heads", 40}, {"base_num_kv_heads", 40}, {"base_mlp_dim", 13824},
    {"base_num_decoder_layers", 40}, {"head_dim", 128}, {"vocab_size", 32000}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"decoder_block", "llama2"}};
constexpr Setting llama2_70b[] = {
    {"base_emb_dim", 8192}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 28672},
    {"base_num_decoder_layers", 80}, {"head_dim", 128}, {"vocab_size", 32000}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-05}, {"decoder_block", "llama2"}};
constexpr Setting llama2_7b[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 32}, {"base_mlp_dim", 11008},
    {"base_num_decoder_layers", 32}, {"head_dim", 128}, {"vocab_size", 32000}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"decoder_block", "llama2"}};
constexpr Setting llama3_405b[] = {
    {"base_emb_dim", 16384}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 8},
    {"base_num_decoder_layers", 126}, {"base_mlp_dim", 53248}, {"head_dim", 128}, {"vocab_size", 128256},
    {"enable_dropout", false}, {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05},
    {"rope_max_timescale", 500000}, {"decoder_block", "llama2"}};
constexpr Setting llama3_70b[] = {
    {"base_emb_dim", 8192}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 80},
    {"base_mlp_dim", 28672}, {"head_dim", 128}, {"vocab_size", 128256}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"rope_max_timescale", 500000},
    {"decoder_block", "llama2"}};
constexpr Setting llama3_8b[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 32},
    {"base_mlp_dim", 14336}, {"head_dim", 128}, {"vocab_size", 128256}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"rope_max_timescale", 500000},
    {"decoder_block", "llama2"}};
constexpr Setting llama3_1_405b[] = {
    {"base_emb_dim", 16384}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 8},
    {"base_num_decoder_layers", 126}, {"base_mlp_dim", 53248}, {"head_dim", 128}, {"vocab_size", 128256},
    {"enable_dropout", false}, {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05},
    {"rope_max_timescale", 500000}, {"decoder_block", "llama2"}};
constexpr Setting llama3_1_70b[] = {
    {"base_emb_dim", 8192}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 80},
    {"base_mlp_dim", 28672}, {"head_dim", 128}, {"vocab_size", 128256}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"rope_max_timescale", 500000},
    {"decoder_block", "llama2"}};
constexpr Setting llama3_1_8b[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 32},
    {"base_mlp_dim", 14336}, {"head_dim", 128}, {"vocab_size", 128256}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"rope_max_timescale", 500000},
    {"decoder_block", "llama2"}};
constexpr Setting llama3_3_70b[] = {
    {"base_emb_dim", 8192}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 80},
    {"base_mlp_dim", 28672}, {"head_dim", 128}, {"vocab_size", 128256}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"rope_max_timescale", 500000},
    {"decoder_block", "llama2"}};
constexpr Setting llama4_17b_128e[] = {
    {"decoder_block", "llama4"}, {"enable_dropout", false}, {"tokenizer_type", "huggingface"},
    {"base_emb_dim", 5120}, {"base_num_decoder_layers", 48}, {"base_num_query_heads", 40}, {"base_num_kv_heads", 8},
    {"base_mlp_dim", 16384}, {"base_moe_mlp_dim", 8192}, {"vocab_size", 202048},
    {"normalization_layer_epsilon", "1e-05"}, {"rope_max_timescale", 500000}, {"rope_type", "llama3.1"},
    {"rope_use_scale", false}, {"num_experts", 128}, {"shared_experts", 1}, {"num_experts_per_tok", 1},
    {"use_qk_norm", false}, {"nope_layer_interval", 4}, {"interleave_moe_layer_step", 2},
    {"inhomogeneous_layer_cycle_interval", 4}, {"temperature_tuning", true}, {"chunk_attn_window_size", 8192},
    {"vision_encoder_block", "llama4"}, {"image_size_for_vit", 336}, {"num_channels_for_vit", 3},
    {"patch_size_for_vit", 14}, {"hidden_size_for_vit", 1408}, {"intermediate_size_for_vit", 5632},
    {"num_hidden_layers_for_vit", 34}, {"num_attention_heads_for_vit", 16}, {"image_placeholder", "<|image|>"}};
constexpr Setting llama4_17b_16e[] = {
    {"decoder_block", "llama4"}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"tokenizer_type", "huggingface"}, {"base_emb_dim", 5120}, {"base_num_decoder_layers", 48},
    {"base_num_query_heads", 40}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 8192}, {"base_moe_mlp_dim", 8192},
    {"vocab_size", 202048}, {"normalization_layer_epsilon", "1e-05"}, {"rope_max_timescale", 500000},
    {"rope_type", "llama3.1"}, {"num_experts", 16}, {"shared_experts", 1}, {"num_experts_per_tok", 1},
    {"use_qk_norm", true}, {"nope_layer_interval", 4}, {"interleave_moe_layer_step", 1},
    {"inhomogeneous_layer_cycle_interval", 4}, {"temperature_tuning", true}, {"chunk_attn_window_size", 8192},
    {"vision_encoder_block", "llama4"}, {"image_size_for_vit", 336}, {"num_channels_for_vit", 3},
    {"patch_size_for_vit", 14}, {"hidden_size_for_vit", 1408}, {"intermediate_size_for_vit", 5632},
    {"num_hidden_layers_for_vit", 34}, {"num_attention_heads_for_vit", 16}, {"image_placeholder", "<|image|>"}};
constexpr Setting mistral_7b[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 14336},
    {"base_num_decoder_layers", 32}, {"head_dim", 128}, {"vocab_size", 32000}, {"enable_dropout", false},
    {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05}, {"rope_max_timescale", 1000000},
    {"decoder_block", "mistral"}};
constexpr Setting mixtral_8x22b[] = {
    {"base_emb_dim", 6144}, {"base_num_query_heads", 48}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 16384},
    {"base_moe_mlp_dim", 16384}, {"base_num_decoder_layers", 56}, {"head_dim", 128}, {"vocab_size", 32768},
    {"enable_dropout", false}, {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05},
    {"num_experts", 8}, {"num_experts_per_tok", 2}, {"rope_max_timescale", 1000000}, {"decoder_block", "mixtral"}};
constexpr Setting mixtral_8x7b[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 14336},
    {"base_moe_mlp_dim", 14336}, {"base_num_decoder_layers", 32}, {"head_dim", 128}, {"vocab_size", 32000},
    {"enable_dropout", false}, {"logits_via_embedding", false}, {"normalization_layer_epsilon", 1e-05},
    {"num_experts", 8}, {"num_experts_per_tok", 2}, {"rope_max_timescale", 1000000}, {"decoder_block", "mixtral"}};
// clang-format on

constexpr ModelFile files[] = {
    {"llama2-13b", llama2_13b},       {"llama2-70b", llama2_70b},           {"llama2-7b", llama2_7b},
    {"llama3-405b", llama3_405b},     {"llama3-70b", llama3_70b},           {"llama3-8b", llama3_8b},
    {"llama3.1-405b", llama3_1_405b}, {"llama3.1-70b", llama3_1_70b},       {"llama3.1-8b", llama3_1_8b},
    {"llama3.3-70b", llama3_3_70b},   {"llama4-17b-128e", llama4_17b_128e}, {"llama4-17b-16e", llama4_17b_16e},
    {"mistral-7b", mistral_7b},       {"mixtral-8x22b", mixtral_8x22b},     {"mixtral-8x7b", mixtral_8x7b},
};

}  // namespace

std::span<const ModelFile> llama() { return files; }

}  // namespace primus_plan::maxtext::model_files
