#include "backends/maxtext/model_files/data.h"

namespace primus_plan::maxtext::model_files {
namespace {

// clang-format off
constexpr Setting deepseek_custom[] = {
    {"base_emb_dim", 1024}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 16}, {"base_mlp_dim", 2048},
    {"base_moe_mlp_dim", 512}, {"base_num_decoder_layers", 6}, {"first_num_dense_layers", 1},
    {"vocab_size", 129280}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 16}, {"num_experts_per_tok", 2}, {"shared_experts", 1},
    {"routed_scaling_factor", 2.5}, {"routed_score_func", "sigmoid"}, {"routed_bias", true},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 384}, {"kv_lora_rank", 128},
    {"qk_nope_head_dim", 32}, {"qk_rope_head_dim", 16}, {"v_head_dim", 128}, {"mscale", 1.0}, {"rope_type", "yarn"},
    {"rope_max_timescale", 10000}, {"max_position_embeddings", 4096}, {"original_max_position_embeddings", 4096},
    {"rope_factor", 1}, {"beta_fast", 32}, {"rope_interleave", true}, {"rope_truncate", true},
    {"rope_attention_scaling", false}, {"use_indexer", true}, {"indexer_n_heads", 16}, {"indexer_head_dim", 64},
    {"indexer_topk", 256}, {"mhc_expansion_rate", 4}, {"sinkhorn_iterations", 20}, {"engram_num_heads", 8},
    {"engram_head_dim", 512}, {"engram_max_ngram_size", 3}, {"engram_kernel_size", 4}, {"engram_seed", 0}};
constexpr Setting deepseek2_16b[] = {
    {"base_emb_dim", 2048}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 16}, {"base_mlp_dim", 10944},
    {"base_moe_mlp_dim", 1408}, {"base_num_decoder_layers", 27}, {"first_num_dense_layers", 1},
    {"vocab_size", 102400}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 64}, {"num_experts_per_tok", 6}, {"shared_experts", 2},
    {"routed_scaling_factor", 1.0}, {"routed_score_func", "softmax"}, {"routed_bias", false},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 0}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"rope_type", "yarn"},
    {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840}, {"original_max_position_embeddings", 4096},
    {"rope_factor", 40}, {"beta_fast", 32}, {"mscale", 0.707}, {"rope_interleave", true}, {"rope_truncate", true},
    {"rope_attention_scaling", false}};
constexpr Setting deepseek2_236b[] = {
    {"base_emb_dim", 5120}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 128}, {"base_mlp_dim", 12288},
    {"base_moe_mlp_dim", 1536}, {"base_num_decoder_layers", 60}, {"first_num_dense_layers", 1},
    {"vocab_size", 102400}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 160}, {"num_experts_per_tok", 6}, {"shared_experts", 2},
    {"routed_scaling_factor", 16.0}, {"routed_score_func", "softmax"}, {"routed_bias", false},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"rope_type", "yarn"},
    {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840}, {"original_max_position_embeddings", 4096},
    {"rope_factor", 40}, {"beta_fast", 32}, {"mscale", 0.707}, {"rope_interleave", true}, {"rope_truncate", true},
    {"rope_attention_scaling", false}};
constexpr Setting deepseek3_671b[] = {
    {"base_emb_dim", 7168}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 128}, {"base_mlp_dim", 18432},
    {"base_moe_mlp_dim", 2048}, {"base_num_decoder_layers", 61}, {"first_num_dense_layers", 3},
    {"vocab_size", 129280}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 256}, {"num_experts_per_tok", 8}, {"shared_experts", 1},
    {"routed_scaling_factor", 2.5}, {"routed_score_func", "sigmoid"}, {"routed_bias", true},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"mscale", 1.0},
    {"rope_type", "yarn"}, {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840},
    {"original_max_position_embeddings", 4096}, {"rope_factor", 40}, {"beta_fast", 32}, {"rope_interleave", true},
    {"rope_truncate", true}, {"rope_attention_scaling", false}};
constexpr Setting deepseek3_671b_2dfsdp[] = {
    {"base_emb_dim", 7168}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 128}, {"base_mlp_dim", 18432},
    {"base_moe_mlp_dim", 2048}, {"base_num_decoder_layers", 61}, {"first_num_dense_layers", 3},
    {"vocab_size", 129280}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 256}, {"num_experts_per_tok", 8}, {"shared_experts", 1},
    {"routed_scaling_factor", 2.5}, {"routed_score_func", "sigmoid"}, {"routed_bias", true},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"mscale", 1.0},
    {"rope_type", "yarn"}, {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840},
    {"original_max_position_embeddings", 4096}, {"rope_factor", 40}, {"beta_fast", 32}, {"rope_interleave", true},
    {"rope_truncate", true}, {"rope_attention_scaling", false}, {"override_logical_axis_rules", true}};
constexpr Setting deepseek3_671b_batchsplit[] = {
    {"base_emb_dim", 7168}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 128}, {"base_mlp_dim", 18432},
    {"base_moe_mlp_dim", 2048}, {"base_num_decoder_layers", 61}, {"first_num_dense_layers", 3},
    {"vocab_size", 129280}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 256}, {"num_experts_per_tok", 8},
    {"n_routing_groups", 8}, {"topk_routing_group", 4}, {"shared_experts", 1}, {"routed_scaling_factor", 2.5},
    {"routed_score_func", "sigmoid"}, {"routed_bias", true}, {"decoder_block", "deepseek"},
    {"attention_type", "mla"}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512}, {"qk_nope_head_dim", 128},
    {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"mscale", 1.0}, {"rope_type", "yarn"},
    {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840}, {"original_max_position_embeddings", 4096},
    {"rope_factor", 40}, {"beta_fast", 32}, {"rope_interleave", true}, {"rope_truncate", true},
    {"rope_attention_scaling", false}, {"use_batch_split_schedule", true}, {"shard_mode", "explicit"},
    {"remove_size_one_mesh_axis_from_type", false}, {"override_logical_axis_rules", true}};
constexpr Setting deepseek3_test[] = {
    {"base_emb_dim", 512}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 128}, {"base_mlp_dim", 18432},
    {"base_moe_mlp_dim", 512}, {"base_num_decoder_layers", 61}, {"first_num_dense_layers", 3},
    {"vocab_size", 129280}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 256}, {"num_experts_per_tok", 8}, {"shared_experts", 1},
    {"routed_scaling_factor", 2.5}, {"routed_score_func", "sigmoid"}, {"routed_bias", true},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"mscale", 1.0},
    {"rope_type", "yarn"}, {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840},
    {"original_max_position_embeddings", 4096}, {"rope_factor", 40}, {"beta_fast", 32}};
constexpr Setting deepseek3_tiny[] = {
    {"base_emb_dim", 64}, {"base_num_query_heads", 4}, {"base_num_kv_heads", 4}, {"base_mlp_dim", 64},
    {"base_moe_mlp_dim", 64}, {"base_num_decoder_layers", 61}, {"first_num_dense_layers", 3},
    {"vocab_size", 129280}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 16}, {"num_experts_per_tok", 8}, {"shared_experts", 1},
    {"routed_scaling_factor", 2.5}, {"routed_score_func", "sigmoid"}, {"routed_bias", true},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 32}, {"kv_lora_rank", 16},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"mscale", 1.0},
    {"rope_type", "yarn"}, {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840},
    {"original_max_position_embeddings", 4096}, {"rope_factor", 40}, {"beta_fast", 32}};
constexpr Setting deepseek3_2_671b[] = {
    {"base_emb_dim", 7168}, {"base_num_query_heads", 128}, {"base_num_kv_heads", 128}, {"base_mlp_dim", 18432},
    {"base_moe_mlp_dim", 2048}, {"base_num_decoder_layers", 61}, {"first_num_dense_layers", 3},
    {"vocab_size", 129280}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 256}, {"num_experts_per_tok", 8}, {"shared_experts", 1},
    {"routed_scaling_factor", 2.5}, {"routed_score_func", "sigmoid"}, {"routed_bias", true},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"mscale", 1.0},
    {"rope_type", "yarn"}, {"rope_max_timescale", 10000}, {"max_position_embeddings", 163840},
    {"original_max_position_embeddings", 4096}, {"rope_factor", 40}, {"beta_fast", 32}, {"rope_interleave", true},
    {"rope_truncate", true}, {"rope_attention_scaling", false}, {"use_indexer", true}, {"indexer_n_heads", 64},
    {"indexer_head_dim", 128}, {"indexer_topk", 2048}};
constexpr Setting deepseek4_284b[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 1}, {"base_num_decoder_layers", 43},
    {"base_mlp_dim", 2048}, {"base_moe_mlp_dim", 2048}, {"vocab_size", 129280}, {"head_dim", 512},
    {"qk_rope_head_dim", 64}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"decoder_block", "deepseek4"}, {"mhc_expansion_rate", 4},
    {"first_num_hash_layers", 3}, {"indexer_head_dim", 128}, {"indexer_n_heads", 64}, {"indexer_topk", 512},
    {"num_experts", 256}, {"num_experts_per_tok", 6}, {"mlp_activations_limit", 10}, {"shared_experts", 1},
    {"routed_score_func", "sqrtsoftplus"}, {"norm_topk_prob", true}, {"routed_bias", true},
    {"routed_bias_update_rate", 0.001}, {"load_balance_loss_weight", 0.0001}, {"log_moe_bias_norms", false},
    {"routed_scaling_factor", 1.5}, {"attention_type", "compressed"}, {"q_lora_rank", 1024}, {"o_groups", 8},
    {"o_lora_rank", 1024}, {"sliding_window_size", 128}, {"rope_type", "default"}, {"rope_max_timescale", 10000},
    {"compressed_rope_max_timescale", 160000}, {"max_position_embeddings", 1048576},
    {"original_max_position_embeddings", 65536}};
constexpr Setting deepseek4_tiny[] = {
    {"base_emb_dim", 64}, {"base_num_query_heads", 4}, {"base_num_kv_heads", 1}, {"base_num_decoder_layers", 43},
    {"base_mlp_dim", 64}, {"base_moe_mlp_dim", 64}, {"vocab_size", 129280}, {"head_dim", 32},
    {"qk_rope_head_dim", 32}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"decoder_block", "deepseek4"}, {"mhc_expansion_rate", 4},
    {"first_num_hash_layers", 3}, {"indexer_head_dim", 32}, {"indexer_n_heads", 4}, {"indexer_topk", 16},
    {"num_experts", 16}, {"num_experts_per_tok", 4}, {"mlp_activations_limit", 10}, {"shared_experts", 1},
    {"routed_score_func", "sqrtsoftplus"}, {"routed_bias", true}, {"routed_bias_update_rate", 0.001},
    {"load_balance_loss_weight", 0.0001}, {"log_moe_bias_norms", false}, {"attention_type", "compressed"},
    {"q_lora_rank", 16}, {"o_groups", 4}, {"o_lora_rank", 16}, {"sliding_window_size", 32},
    {"rope_type", "default"}, {"rope_max_timescale", 10000}, {"compressed_rope_max_timescale", 160000},
    {"max_position_embeddings", 4096}};
constexpr Setting kimi_k2_1t[] = {
    {"base_emb_dim", 7168}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 64}, {"base_mlp_dim", 18432},
    {"base_moe_mlp_dim", 2048}, {"base_num_decoder_layers", 61}, {"first_num_dense_layers", 1},
    {"vocab_size", 163840}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"normalization_layer_epsilon", 1e-06}, {"num_experts", 384}, {"num_experts_per_tok", 8}, {"shared_experts", 1},
    {"routed_scaling_factor", 2.827}, {"routed_score_func", "sigmoid"}, {"routed_bias", true},
    {"decoder_block", "deepseek"}, {"attention_type", "mla"}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"mscale", 1.0},
    {"rope_type", "yarn"}, {"rope_max_timescale", 50000}, {"max_position_embeddings", 131072},
    {"original_max_position_embeddings", 4096}, {"rope_factor", 32}, {"beta_fast", 1}, {"beta_slow", 1}};
// clang-format on

constexpr ModelFile files[] = {
    {"deepseek-custom", deepseek_custom},
    {"deepseek2-16b", deepseek2_16b},
    {"deepseek2-236b", deepseek2_236b},
    {"deepseek3-671b", deepseek3_671b},
    {"deepseek3-671b-2dfsdp", deepseek3_671b_2dfsdp},
    {"deepseek3-671b-batchsplit", deepseek3_671b_batchsplit},
    {"deepseek3-test", deepseek3_test},
    {"deepseek3-tiny", deepseek3_tiny},
    {"deepseek3.2-671b", deepseek3_2_671b},
    {"deepseek4-284b", deepseek4_284b},
    {"deepseek4-tiny", deepseek4_tiny},
    {"kimi-k2-1t", kimi_k2_1t},
};

}  // namespace

std::span<const ModelFile> deepseek() { return files; }

}  // namespace primus_plan::maxtext::model_files
