#include "backends/maxtext/model_files/data.h"

namespace primus_plan::maxtext::model_files {
namespace {

// clang-format off
constexpr Setting envy_switch_base[] = {
    {"decoder_block", "envy"}, {"enable_dropout", false}, {"logits_via_embedding", true},
    {"tokenizer_type", "huggingface"}, {"base_emb_dim", 1536}, {"base_num_decoder_layers", 12},
    {"base_num_query_heads", 12}, {"base_num_kv_heads", 12}, {"base_mlp_dim", 6144}, {"base_moe_mlp_dim", 6144},
    {"vocab_size", 32768}, {"normalization_layer_epsilon", "1e-05"}, {"rope_max_timescale", 500000},
    {"num_experts", 128}, {"num_experts_per_tok", 1}, {"use_qk_norm", true}, {"use_post_ffw_norm", true},
    {"load_balance_loss_weight", 0.01}, {"interleave_moe_layer_step", 2}, {"inhomogeneous_layer_cycle_interval", 2}};
constexpr Setting envy_switch_large[] = {
    {"decoder_block", "envy"}, {"enable_dropout", false}, {"logits_via_embedding", true},
    {"tokenizer_type", "huggingface"}, {"base_emb_dim", 2048}, {"base_num_decoder_layers", 24},
    {"base_num_query_heads", 16}, {"base_num_kv_heads", 16}, {"base_mlp_dim", 8192}, {"base_moe_mlp_dim", 8192},
    {"vocab_size", 32768}, {"normalization_layer_epsilon", "1e-05"}, {"rope_max_timescale", 500000},
    {"num_experts", 128}, {"num_experts_per_tok", 1}, {"use_qk_norm", true}, {"use_post_ffw_norm", true},
    {"load_balance_loss_weight", 0.01}, {"interleave_moe_layer_step", 2}, {"inhomogeneous_layer_cycle_interval", 2}};
constexpr Setting envy_switch_xxl[] = {
    {"decoder_block", "envy"}, {"enable_dropout", false}, {"logits_via_embedding", true},
    {"tokenizer_type", "huggingface"}, {"base_emb_dim", 8192}, {"base_num_decoder_layers", 24},
    {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 20480}, {"base_moe_mlp_dim", 20480},
    {"vocab_size", 32768}, {"normalization_layer_epsilon", "1e-05"}, {"rope_max_timescale", 500000},
    {"num_experts", 64}, {"num_experts_per_tok", 1}, {"use_qk_norm", true}, {"use_post_ffw_norm", true},
    {"load_balance_loss_weight", 0.01}, {"interleave_moe_layer_step", 2}, {"inhomogeneous_layer_cycle_interval", 2}};
constexpr Setting envy_test[] = {
    {"decoder_block", "envy"}, {"enable_dropout", false}, {"logits_via_embedding", true},
    {"tokenizer_type", "huggingface"}, {"base_emb_dim", 8}, {"base_num_decoder_layers", 4},
    {"base_num_query_heads", 4}, {"base_num_kv_heads", 2}, {"base_mlp_dim", 16}, {"base_moe_mlp_dim", 16},
    {"vocab_size", 32}, {"normalization_layer_epsilon", "1e-05"}, {"rope_max_timescale", 500000},
    {"num_experts", 8}, {"num_experts_per_tok", 1}, {"use_qk_norm", true}, {"use_post_ffw_norm", true},
    {"interleave_moe_layer_step", 2}, {"inhomogeneous_layer_cycle_interval", 2}, {"megablox", false},
    {"sparse_matmul", false}};
constexpr Setting olmo3_32b[] = {
    {"decoder_block", "olmo3"}, {"base_emb_dim", 5120}, {"base_num_query_heads", 40}, {"base_num_kv_heads", 8},
    {"base_mlp_dim", 27648}, {"base_num_decoder_layers", 64}, {"head_dim", 128},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"sliding_window_size", 4096},
    {"inhomogeneous_layer_cycle_interval", 4}, {"rope_type", "yarn"}, {"rope_interleave", false},
    {"rope_max_timescale", 500000}, {"rope_factor", 8.0}, {"original_max_position_embeddings", 8192},
    {"beta_fast", 32.0}, {"beta_slow", 1.0}, {"max_position_embeddings", 65536}, {"rope_attention_scaling", true},
    {"rope_truncate", true}, {"vocab_size", 100278}, {"logits_via_embedding", false},
    {"normalize_embedding_logits", false}};
constexpr Setting olmo3_7b[] = {
    {"decoder_block", "olmo3"}, {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 32},
    {"base_mlp_dim", 11008}, {"base_num_decoder_layers", 32}, {"head_dim", 128},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"sliding_window_size", 4096},
    {"inhomogeneous_layer_cycle_interval", 4}, {"rope_type", "yarn"}, {"rope_interleave", false},
    {"rope_max_timescale", 500000}, {"rope_factor", 8.0}, {"original_max_position_embeddings", 8192},
    {"beta_fast", 32.0}, {"beta_slow", 1.0}, {"max_position_embeddings", 65536}, {"rope_attention_scaling", true},
    {"rope_truncate", true}, {"vocab_size", 100278}, {"logits_via_embedding", false},
    {"normalize_embedding_logits", false}};
constexpr Setting olmo3_7b_pt[] = {
    {"decoder_block", "olmo3"}, {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 32},
    {"base_mlp_dim", 11008}, {"base_num_decoder_layers", 32}, {"head_dim", 128},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"sliding_window_size", 4096},
    {"inhomogeneous_layer_cycle_interval", 4}, {"rope_type", "default"}, {"rope_interleave", false},
    {"rope_max_timescale", 500000}, {"max_position_embeddings", 8192}, {"rope_attention_scaling", true},
    {"rope_truncate", false}, {"vocab_size", 100278}, {"logits_via_embedding", false},
    {"normalize_embedding_logits", false}};
// clang-format on

constexpr ModelFile files[] = {
    {"envy-switch-base", envy_switch_base},
    {"envy-switch-large", envy_switch_large},
    {"envy-switch-xxl", envy_switch_xxl},
    {"envy-test", envy_test},
    {"olmo3-32b", olmo3_32b},
    {"olmo3-7b", olmo3_7b},
    {"olmo3-7b-pt", olmo3_7b_pt},
};

}  // namespace

std::span<const ModelFile> other() { return files; }

}  // namespace primus_plan::maxtext::model_files
