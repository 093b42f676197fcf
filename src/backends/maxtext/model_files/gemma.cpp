#include "backends/maxtext/model_files/data.h"

namespace primus_plan::maxtext::model_files {
namespace {

// clang-format off
constexpr Setting gemma_2b[] = {
    {"base_emb_dim", 2048}, {"base_num_query_heads", 8}, {"base_num_kv_heads", 1}, {"base_mlp_dim", 16384},
    {"base_num_decoder_layers", 18}, {"head_dim", 256}, {"vocab_size", 256128}, {"decoder_block", "gemma"},
    {"normalization_layer_epsilon", 1e-06}, {"logits_via_embedding", true}};
constexpr Setting gemma_7b[] = {
    {"base_emb_dim", 3072}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 16}, {"base_mlp_dim", 24576},
    {"base_num_decoder_layers", 28}, {"head_dim", 256}, {"vocab_size", 256128}, {"decoder_block", "gemma"},
    {"normalization_layer_epsilon", 1e-06}, {"logits_via_embedding", true}};
constexpr Setting gemma2_27b[] = {
    {"base_emb_dim", 4608}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 16}, {"base_mlp_dim", 36864},
    {"base_num_decoder_layers", 23}, {"head_dim", 128}, {"vocab_size", 256128}, {"decoder_block", "gemma2"},
    {"normalization_layer_epsilon", 1e-06}, {"logits_via_embedding", true}, {"final_logits_soft_cap", 30.0},
    {"attn_logits_soft_cap", 50.0}, {"sliding_window_size", 4096}, {"use_post_attn_norm", true},
    {"use_post_ffw_norm", true}};
constexpr Setting gemma2_2b[] = {
    {"base_emb_dim", 2304}, {"base_num_query_heads", 8}, {"base_num_kv_heads", 4}, {"base_mlp_dim", 9216},
    {"base_num_decoder_layers", 13}, {"head_dim", 256}, {"vocab_size", 256128}, {"decoder_block", "gemma2"},
    {"normalization_layer_epsilon", 1e-06}, {"logits_via_embedding", true}, {"final_logits_soft_cap", 30.0},
    {"attn_logits_soft_cap", 50.0}, {"sliding_window_size", 4096}, {"use_post_attn_norm", true},
    {"use_post_ffw_norm", true}};
constexpr Setting gemma2_9b[] = {
    {"base_emb_dim", 3584}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 14336},
    {"base_num_decoder_layers", 21}, {"head_dim", 256}, {"vocab_size", 256128}, {"decoder_block", "gemma2"},
    {"normalization_layer_epsilon", 1e-06}, {"logits_via_embedding", true}, {"final_logits_soft_cap", 30.0},
    {"attn_logits_soft_cap", 50.0}, {"sliding_window_size", 4096}, {"use_post_attn_norm", true},
    {"use_post_ffw_norm", true}};
constexpr Setting gemma3_12b[] = {
    {"base_num_decoder_layers", 48}, {"base_emb_dim", 3840}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 8},
    {"base_mlp_dim", 15360}, {"head_dim", 256}, {"vocab_size", 262144}, {"decoder_block", "gemma3"},
    {"normalization_layer_epsilon", "1e-6"}, {"logits_via_embedding", true}, {"sliding_window_size", 1024},
    {"use_post_attn_norm", true}, {"use_post_ffw_norm", true}, {"local_rope_max_timescale", 10000},
    {"rope_max_timescale", 1000000}, {"rope_linear_scaling_factor", 8.0}, {"vision_encoder_block", "gemma3"},
    {"image_size_for_vit", 896}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 14},
    {"conv_stride_for_vit", 14}, {"hidden_size_for_vit", 1152}, {"intermediate_size_for_vit", 4304},
    {"num_hidden_layers_for_vit", 27}, {"num_attention_heads_for_vit", 16},
    {"image_placeholder", "<start_of_image>"}};
constexpr Setting gemma3_27b[] = {
    {"base_num_decoder_layers", 62}, {"base_emb_dim", 5376}, {"base_num_query_heads", 32},
    {"base_num_kv_heads", 16}, {"base_mlp_dim", 21504}, {"head_dim", 128}, {"vocab_size", 262144},
    {"decoder_block", "gemma3"}, {"normalization_layer_epsilon", "1e-6"}, {"logits_via_embedding", true},
    {"sliding_window_size", 1024}, {"use_post_attn_norm", true}, {"use_post_ffw_norm", true},
    {"local_rope_max_timescale", 10000}, {"rope_max_timescale", 1000000}, {"rope_linear_scaling_factor", 8.0},
    {"vision_encoder_block", "gemma3"}, {"image_size_for_vit", 896}, {"num_channels_for_vit", 3},
    {"patch_size_for_vit", 14}, {"conv_stride_for_vit", 14}, {"hidden_size_for_vit", 1152},
    {"intermediate_size_for_vit", 4304}, {"num_hidden_layers_for_vit", 27}, {"num_attention_heads_for_vit", 16},
    {"image_placeholder", "<start_of_image>"}};
constexpr Setting gemma3_4b[] = {
    {"base_num_decoder_layers", 34}, {"base_emb_dim", 2560}, {"base_num_query_heads", 8}, {"base_num_kv_heads", 4},
    {"base_mlp_dim", 10240}, {"head_dim", 256}, {"vocab_size", 262144}, {"decoder_block", "gemma3"},
    {"normalization_layer_epsilon", "1e-6"}, {"logits_via_embedding", true}, {"sliding_window_size", 1024},
    {"use_post_attn_norm", true}, {"use_post_ffw_norm", true}, {"local_rope_max_timescale", 10000},
    {"rope_max_timescale", 1000000}, {"rope_linear_scaling_factor", 8.0}, {"vision_encoder_block", "gemma3"},
    {"image_size_for_vit", 896}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 14},
    {"conv_stride_for_vit", 14}, {"hidden_size_for_vit", 1152}, {"intermediate_size_for_vit", 4304},
    {"num_hidden_layers_for_vit", 27}, {"num_attention_heads_for_vit", 16},
    {"image_placeholder", "<start_of_image>"}};
constexpr Setting gemma4_26b[] = {
    {"base_num_decoder_layers", 30}, {"base_emb_dim", 2816}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 8},
    {"base_mlp_dim", 2112}, {"base_moe_mlp_dim", 704}, {"head_dim", 256}, {"global_head_dim", 512},
    {"global_num_kv_heads", 2}, {"vocab_size", 262144}, {"decoder_block", "gemma4"},
    {"normalization_layer_epsilon", "1e-6"}, {"logits_via_embedding", true}, {"sliding_window_size", 1024},
    {"use_post_attn_norm", true}, {"use_post_ffw_norm", true}, {"share_kv_projections", true},
    {"local_rope_max_timescale", 10000}, {"global_rope_max_timescale", 1000000}, {"rope_max_timescale", 1000000},
    {"global_rope_proportion", 0.25}, {"local_rope_proportion", 1.0}, {"v_norm_with_scale", false},
    {"final_logits_soft_cap", 30.0}, {"num_experts", 128}, {"num_experts_per_tok", 8}, {"shared_experts", 1},
    {"norm_topk_prob", true}, {"load_balance_loss_weight", 0.001}, {"vision_encoder_block", "gemma4"},
    {"rope_theta_for_vit", 100}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16},
    {"conv_stride_for_vit", 16}, {"hidden_size_for_vit", 1152}, {"intermediate_size_for_vit", 4304},
    {"num_hidden_layers_for_vit", 27}, {"num_attention_heads_for_vit", 16}, {"image_placeholder", "<|image|>"},
    {"vision_output_length", 280}, {"num_position_embeddings_for_vit", 10240}};
constexpr Setting gemma4_31b[] = {
    {"base_num_decoder_layers", 60}, {"base_emb_dim", 5376}, {"base_num_query_heads", 32},
    {"base_num_kv_heads", 16}, {"base_mlp_dim", 21504}, {"head_dim", 256}, {"global_head_dim", 512},
    {"global_num_kv_heads", 4}, {"vocab_size", 262144}, {"decoder_block", "gemma4"},
    {"normalization_layer_epsilon", "1e-6"}, {"logits_via_embedding", true}, {"use_post_attn_norm", true},
    {"use_post_ffw_norm", true}, {"sliding_window_size", 1024}, {"share_kv_projections", true},
    {"v_norm_with_scale", false}, {"local_rope_max_timescale", 10000}, {"global_rope_max_timescale", 1000000},
    {"rope_max_timescale", 1000000}, {"global_rope_proportion", 0.25}, {"local_rope_proportion", 1.0},
    {"final_logits_soft_cap", 30.0}, {"vision_encoder_block", "gemma4"}, {"rope_theta_for_vit", 100},
    {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16}, {"conv_stride_for_vit", 16},
    {"hidden_size_for_vit", 1152}, {"intermediate_size_for_vit", 4304}, {"num_hidden_layers_for_vit", 27},
    {"num_attention_heads_for_vit", 16}, {"image_placeholder", "<|image|>"}, {"vision_output_length", 280},
    {"num_position_embeddings_for_vit", 10240}};
constexpr Setting gemma4_e2b[] = {
    {"base_num_decoder_layers", 35}, {"base_emb_dim", 1536}, {"base_num_query_heads", 8}, {"base_num_kv_heads", 1},
    {"base_mlp_dim", 6144}, {"head_dim", 256}, {"global_head_dim", 512}, {"vocab_size", 262144},
    {"decoder_block", "gemma4_small"}, {"normalization_layer_epsilon", "1e-6"}, {"logits_via_embedding", true},
    {"use_post_attn_norm", true}, {"use_post_ffw_norm", true}, {"sliding_window_size", 512},
    {"v_norm_with_scale", false}, {"hidden_size_per_layer_input", 256}, {"vocab_size_per_layer_input", 262144},
    {"num_kv_shared_layers", 20}, {"use_double_wide_mlp", true}, {"local_rope_max_timescale", 10000},
    {"global_rope_max_timescale", 1000000}, {"rope_max_timescale", 1000000}, {"global_rope_proportion", 0.25},
    {"local_rope_proportion", 1.0}, {"final_logits_soft_cap", 30.0}, {"vision_encoder_block", "gemma4"},
    {"rope_theta_for_vit", 100}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16},
    {"conv_stride_for_vit", 16}, {"hidden_size_for_vit", 768}, {"intermediate_size_for_vit", 3072},
    {"num_hidden_layers_for_vit", 16}, {"num_attention_heads_for_vit", 12}, {"image_placeholder", "<|image|>"},
    {"vision_output_length", 280}, {"num_position_embeddings_for_vit", 10240}};
constexpr Setting gemma4_e4b[] = {
    {"base_num_decoder_layers", 42}, {"base_emb_dim", 2560}, {"base_num_query_heads", 8}, {"base_num_kv_heads", 2},
    {"base_mlp_dim", 10240}, {"head_dim", 256}, {"global_head_dim", 512}, {"vocab_size", 262144},
    {"decoder_block", "gemma4_small"}, {"normalization_layer_epsilon", "1e-6"}, {"logits_via_embedding", true},
    {"use_post_attn_norm", true}, {"use_post_ffw_norm", true}, {"sliding_window_size", 512},
    {"v_norm_with_scale", false}, {"hidden_size_per_layer_input", 256}, {"vocab_size_per_layer_input", 262144},
    {"num_kv_shared_layers", 18}, {"use_double_wide_mlp", false}, {"local_rope_max_timescale", 10000},
    {"global_rope_max_timescale", 1000000}, {"rope_max_timescale", 1000000}, {"global_rope_proportion", 0.25},
    {"local_rope_proportion", 1.0}, {"final_logits_soft_cap", 30.0}, {"vision_encoder_block", "gemma4"},
    {"rope_theta_for_vit", 100}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16},
    {"conv_stride_for_vit", 16}, {"hidden_size_for_vit", 768}, {"intermediate_size_for_vit", 3072},
    {"num_hidden_layers_for_vit", 16}, {"num_attention_heads_for_vit", 12}, {"image_placeholder", "<|image|>"},
    {"vision_output_length", 280}, {"num_position_embeddings_for_vit", 10240}};
// clang-format on

constexpr ModelFile files[] = {
    {"gemma-2b", gemma_2b},     {"gemma-7b", gemma_7b},     {"gemma2-27b", gemma2_27b}, {"gemma2-2b", gemma2_2b},
    {"gemma2-9b", gemma2_9b},   {"gemma3-12b", gemma3_12b}, {"gemma3-27b", gemma3_27b}, {"gemma3-4b", gemma3_4b},
    {"gemma4-26b", gemma4_26b}, {"gemma4-31b", gemma4_31b}, {"gemma4-e2b", gemma4_e2b}, {"gemma4-e4b", gemma4_e4b},
};

}  // namespace

std::span<const ModelFile> gemma() { return files; }

}  // namespace primus_plan::maxtext::model_files
