#include "backends/maxtext/model_files/data.h"

namespace primus_plan::maxtext::model_files {
namespace {

// clang-format off
constexpr Setting qwen2_5_1_5b[] = {
    {"base_emb_dim", 1536}, {"base_num_query_heads", 12}, {"base_num_kv_heads", 2}, {"base_mlp_dim", 8960},
    {"base_num_decoder_layers", 28}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen2"},
    {"normalization_layer_epsilon", "1e-06"}, {"rope_max_timescale", 1000000.0}, {"use_qk_norm", false},
    {"attention_bias", true}, {"logits_via_embedding", true}, {"normalize_embedding_logits", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen2_5_14b[] = {
    {"base_emb_dim", 5120}, {"base_num_query_heads", 40}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 13824},
    {"base_num_decoder_layers", 48}, {"head_dim", 128}, {"vocab_size", 152064}, {"decoder_block", "qwen2"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000.0}, {"use_qk_norm", false},
    {"attention_bias", true}, {"logits_via_embedding", false}, {"normalize_embedding_logits", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen2_5_7b[] = {
    {"base_emb_dim", 3584}, {"base_num_query_heads", 28}, {"base_num_kv_heads", 4}, {"base_mlp_dim", 18944},
    {"base_num_decoder_layers", 28}, {"head_dim", 128}, {"vocab_size", 152064}, {"decoder_block", "qwen2"},
    {"normalization_layer_epsilon", "1e-06"}, {"rope_max_timescale", 1000000.0}, {"use_qk_norm", false},
    {"attention_bias", true}, {"logits_via_embedding", false}, {"normalize_embedding_logits", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_0_6b[] = {
    {"base_emb_dim", 1024}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 3072},
    {"base_num_decoder_layers", 28}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"enable_dropout", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_1_7b[] = {
    {"base_emb_dim", 2048}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 6144},
    {"base_num_decoder_layers", 28}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"enable_dropout", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_1_7b_base[] = {
    {"base_emb_dim", 2048}, {"base_num_query_heads", 16}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 6144},
    {"base_num_decoder_layers", 28}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"enable_dropout", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_14b[] = {
    {"base_emb_dim", 5120}, {"base_num_query_heads", 40}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 17408},
    {"base_num_decoder_layers", 40}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", false}, {"normalize_embedding_logits", false}, {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_14b_base[] = {
    {"base_emb_dim", 5120}, {"base_num_query_heads", 40}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 17408},
    {"base_num_decoder_layers", 40}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", false}, {"normalize_embedding_logits", false}, {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_235b_a22b[] = {
    {"decoder_block", "qwen3_moe"}, {"base_emb_dim", 4096}, {"base_mlp_dim", 1536}, {"base_num_query_heads", 64},
    {"base_num_kv_heads", 4}, {"base_num_decoder_layers", 94}, {"head_dim", 128}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"num_experts", 128}, {"num_experts_per_tok", 8},
    {"base_moe_mlp_dim", 1536}, {"load_balance_loss_weight", 0.001}, {"norm_topk_prob", true},
    {"rope_max_timescale", 5000000}, {"enable_dropout", false}};
constexpr Setting qwen3_30b_a3b[] = {
    {"decoder_block", "qwen3_moe"}, {"base_emb_dim", 2048}, {"base_mlp_dim", 768}, {"base_num_query_heads", 32},
    {"base_num_kv_heads", 4}, {"base_num_decoder_layers", 48}, {"head_dim", 128}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"num_experts", 128}, {"num_experts_per_tok", 8},
    {"base_moe_mlp_dim", 768}, {"norm_topk_prob", true}, {"rope_max_timescale", 10000000}, {"enable_dropout", false}};
constexpr Setting qwen3_30b_a3b_base[] = {
    {"decoder_block", "qwen3_moe"}, {"base_emb_dim", 2048}, {"base_mlp_dim", 768}, {"base_num_query_heads", 32},
    {"base_num_kv_heads", 4}, {"base_num_decoder_layers", 48}, {"head_dim", 128}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"num_experts", 128}, {"num_experts_per_tok", 8},
    {"base_moe_mlp_dim", 768}, {"norm_topk_prob", true}, {"rope_max_timescale", 1000000}, {"enable_dropout", false}};
constexpr Setting qwen3_32b[] = {
    {"base_emb_dim", 5120}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 25600},
    {"base_num_decoder_layers", 64}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", false}, {"normalize_embedding_logits", false}, {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_480b_a35b[] = {
    {"decoder_block", "qwen3_moe"}, {"base_emb_dim", 6144}, {"base_mlp_dim", 2560}, {"base_num_query_heads", 96},
    {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 62}, {"head_dim", 128}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"num_experts", 160}, {"num_experts_per_tok", 8},
    {"base_moe_mlp_dim", 2560}, {"norm_topk_prob", true}, {"rope_max_timescale", 10000000},
    {"enable_dropout", false}};
constexpr Setting qwen3_4b[] = {
    {"base_emb_dim", 2560}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 9728},
    {"base_num_decoder_layers", 36}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"enable_dropout", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_4b_base[] = {
    {"base_emb_dim", 2560}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 9728},
    {"base_num_decoder_layers", 36}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"enable_dropout", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_4b_thinking_2507[] = {
    {"base_emb_dim", 2560}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 9728},
    {"base_num_decoder_layers", 36}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 5000000}, {"use_qk_norm", true},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"enable_dropout", false}};
constexpr Setting qwen3_8b[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 12288},
    {"base_num_decoder_layers", 36}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", false}, {"normalize_embedding_logits", false}, {"enable_dropout", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_8b_base[] = {
    {"base_emb_dim", 4096}, {"base_num_query_heads", 32}, {"base_num_kv_heads", 8}, {"base_mlp_dim", 12288},
    {"base_num_decoder_layers", 36}, {"head_dim", 128}, {"vocab_size", 151936}, {"decoder_block", "qwen3"},
    {"normalization_layer_epsilon", 1e-06}, {"rope_max_timescale", 1000000}, {"use_qk_norm", true},
    {"logits_via_embedding", false}, {"normalize_embedding_logits", false}, {"enable_dropout", false},
    {"tokenizer_type", "huggingface"}};
constexpr Setting qwen3_custom_30b_a3b[] = {
    {"decoder_block", "qwen3_custom_moe"}, {"base_emb_dim", 2048}, {"base_num_query_heads", 16},
    {"base_num_kv_heads", 2}, {"base_num_decoder_layers", 48}, {"head_dim", 256}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"attention_output_dim", 768},
    {"moe_expert_input_dim", 768}, {"num_experts", 128}, {"num_experts_per_tok", 8}, {"base_moe_mlp_dim", 2048},
    {"base_mlp_dim", 2048}, {"norm_topk_prob", true}, {"rope_max_timescale", 10000000}, {"enable_dropout", false}};
constexpr Setting qwen3_next_80b_a3b[] = {
    {"decoder_block", "qwen3_next"}, {"base_emb_dim", 2048}, {"base_num_decoder_layers", 48},
    {"base_num_query_heads", 16}, {"base_num_kv_heads", 2}, {"head_dim", 256}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"base_mlp_dim", 512}, {"base_moe_mlp_dim", 512}, {"num_experts", 512},
    {"shared_experts", 1}, {"num_experts_per_tok", 10}, {"norm_topk_prob", true},
    {"inhomogeneous_layer_cycle_interval", 4}, {"gdn_conv_kernel_dim", 4}, {"gdn_key_head_dim", 128},
    {"gdn_value_head_dim", 128}, {"gdn_num_key_heads", 16}, {"gdn_num_value_heads", 32}, {"gdn_chunk_size", 64},
    {"rope_max_timescale", 10000000}, {"partial_rotary_factor", 0.25}, {"enable_dropout", false}};
constexpr Setting qwen3_omni_30b_a3b[] = {
    {"decoder_block", "qwen3_moe"}, {"base_emb_dim", 2048}, {"base_mlp_dim", 768}, {"base_num_query_heads", 32},
    {"base_num_kv_heads", 4}, {"base_num_decoder_layers", 48}, {"head_dim", 128}, {"vocab_size", 152064},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"num_experts", 128}, {"num_experts_per_tok", 8},
    {"base_moe_mlp_dim", 768}, {"norm_topk_prob", true}, {"rope_max_timescale", 1000000},
    {"max_position_embeddings", 65536}, {"enable_dropout", false}, {"scan_layers", false},
    {"vision_encoder_block", "qwen3_omni"}, {"image_size_for_vit", 768}, {"hidden_size_for_vit", 1152},
    {"intermediate_size_for_vit", 4304}, {"num_attention_heads_for_vit", 16}, {"num_hidden_layers_for_vit", 27},
    {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16}, {"temporal_patch_size_for_vit", 2},
    {"spatial_merge_size_for_vit", 2}, {"out_hidden_size_for_vit", 2048}, {"num_position_embeddings_for_vit", 2304},
    {"use_multimodal", true}, {"use_audio", true}, {"d_model_for_audio", 1280}, {"encoder_layers_for_audio", 32},
    {"encoder_attention_heads_for_audio", 20}, {"encoder_ffn_dim_for_audio", 5120},
    {"max_source_positions_for_audio", 1500}, {"num_mel_bins_for_audio", 128},
    {"downsample_hidden_size_for_audio", 480}, {"output_dim_for_audio", 2048}, {"attention_dropout_for_audio", 0.0},
    {"n_window_for_audio", 50}, {"n_window_infer_for_audio", 400}, {"conv_chunksize_for_audio", 500},
    {"num_conv_layers_for_audio", 3}, {"max_timescale_for_audio", 10000.0}, {"max_sample_len_for_audio", 10000},
    {"use_mrope", true}, {"position_id_per_seconds", 13}};
constexpr Setting qwen3_vl_2b[] = {
    {"decoder_block", "qwen3"}, {"base_emb_dim", 2048}, {"base_mlp_dim", 6144}, {"base_num_query_heads", 16},
    {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 28}, {"head_dim", 128}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"logits_via_embedding", true},
    {"normalize_embedding_logits", false}, {"rope_max_timescale", 5000000}, {"enable_dropout", false},
    {"vision_encoder_block", "qwen3_vl"}, {"use_multimodal", true}, {"image_size_for_vit", 768},
    {"hidden_size_for_vit", 1024}, {"intermediate_size_for_vit", 4096}, {"num_attention_heads_for_vit", 16},
    {"num_hidden_layers_for_vit", 24}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16},
    {"temporal_patch_size_for_vit", 2}, {"spatial_merge_size_for_vit", 2}, {"out_hidden_size_for_vit", 2048},
    {"num_position_embeddings_for_vit", 2304}, {"use_mrope", true}};
constexpr Setting qwen3_vl_30b_a3b[] = {
    {"decoder_block", "qwen3_moe"}, {"base_emb_dim", 2048}, {"base_mlp_dim", 768}, {"base_num_query_heads", 32},
    {"base_num_kv_heads", 4}, {"base_num_decoder_layers", 48}, {"head_dim", 128}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"num_experts", 128}, {"num_experts_per_tok", 8},
    {"base_moe_mlp_dim", 768}, {"norm_topk_prob", true}, {"rope_max_timescale", 5000000}, {"enable_dropout", false},
    {"vision_encoder_block", "qwen3_vl"}, {"use_multimodal", true}, {"image_size_for_vit", 768},
    {"hidden_size_for_vit", 1152}, {"intermediate_size_for_vit", 4304}, {"num_attention_heads_for_vit", 16},
    {"num_hidden_layers_for_vit", 27}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16},
    {"temporal_patch_size_for_vit", 2}, {"spatial_merge_size_for_vit", 2}, {"out_hidden_size_for_vit", 2048},
    {"num_position_embeddings_for_vit", 2304}, {"use_mrope", true}, {"scan_layers", false}};
constexpr Setting qwen3_vl_4b[] = {
    {"decoder_block", "qwen3"}, {"base_emb_dim", 2560}, {"base_mlp_dim", 9728}, {"base_num_query_heads", 32},
    {"base_num_kv_heads", 8}, {"base_num_decoder_layers", 36}, {"head_dim", 128}, {"vocab_size", 151936},
    {"normalization_layer_epsilon", 1e-06}, {"use_qk_norm", true}, {"logits_via_embedding", true},
    {"normalize_embedding_logits", false}, {"rope_max_timescale", 5000000}, {"enable_dropout", false},
    {"vision_encoder_block", "qwen3_vl"}, {"use_multimodal", true}, {"image_size_for_vit", 768},
    {"hidden_size_for_vit", 1024}, {"intermediate_size_for_vit", 4096}, {"num_attention_heads_for_vit", 16},
    {"num_hidden_layers_for_vit", 24}, {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16},
    {"temporal_patch_size_for_vit", 2}, {"spatial_merge_size_for_vit", 2}, {"out_hidden_size_for_vit", 2560},
    {"num_position_embeddings_for_vit", 2304}, {"use_mrope", true}};
constexpr Setting qwen3_5_35b_a3b[] = {
    {"decoder_block", "qwen3_5"}, {"base_emb_dim", 2048}, {"base_num_decoder_layers", 40},
    {"base_num_query_heads", 16}, {"base_num_kv_heads", 2}, {"head_dim", 256}, {"vocab_size", 248320},
    {"normalization_layer_epsilon", 1e-06}, {"base_mlp_dim", 512}, {"base_moe_mlp_dim", 512}, {"num_experts", 256},
    {"shared_experts", 1}, {"num_experts_per_tok", 8}, {"norm_topk_prob", true},
    {"inhomogeneous_layer_cycle_interval", 4}, {"gdn_conv_kernel_dim", 4}, {"gdn_key_head_dim", 128},
    {"gdn_value_head_dim", 128}, {"gdn_num_key_heads", 16}, {"gdn_num_value_heads", 32}, {"gdn_chunk_size", 64},
    {"rope_max_timescale", 10000000}, {"partial_rotary_factor", 0.25}, {"enable_dropout", false},
    {"vision_encoder_block", "qwen3_5"}, {"image_size_for_vit", 768}, {"hidden_size_for_vit", 1152},
    {"intermediate_size_for_vit", 4304}, {"num_attention_heads_for_vit", 16}, {"num_hidden_layers_for_vit", 27},
    {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16}, {"temporal_patch_size_for_vit", 2},
    {"spatial_merge_size_for_vit", 2}, {"out_hidden_size_for_vit", 2048}, {"num_position_embeddings_for_vit", 2304},
    {"rope_theta_for_vit", 10000}, {"use_mrope", true}};
constexpr Setting qwen3_5_397b_a17b[] = {
    {"decoder_block", "qwen3_5"}, {"base_emb_dim", 4096}, {"base_num_decoder_layers", 60},
    {"base_num_query_heads", 32}, {"base_num_kv_heads", 2}, {"head_dim", 256}, {"vocab_size", 248320},
    {"normalization_layer_epsilon", 1e-06}, {"base_mlp_dim", 1024}, {"base_moe_mlp_dim", 1024},
    {"num_experts", 512}, {"shared_experts", 1}, {"num_experts_per_tok", 10}, {"norm_topk_prob", true},
    {"inhomogeneous_layer_cycle_interval", 4}, {"gdn_conv_kernel_dim", 4}, {"gdn_key_head_dim", 128},
    {"gdn_value_head_dim", 128}, {"gdn_num_key_heads", 16}, {"gdn_num_value_heads", 64}, {"gdn_chunk_size", 64},
    {"rope_max_timescale", 10000000}, {"partial_rotary_factor", 0.25}, {"enable_dropout", false},
    {"vision_encoder_block", "qwen3_5"}, {"image_size_for_vit", 768}, {"hidden_size_for_vit", 1152},
    {"intermediate_size_for_vit", 4304}, {"num_attention_heads_for_vit", 16}, {"num_hidden_layers_for_vit", 27},
    {"num_channels_for_vit", 3}, {"patch_size_for_vit", 16}, {"temporal_patch_size_for_vit", 2},
    {"spatial_merge_size_for_vit", 2}, {"out_hidden_size_for_vit", 4096}, {"num_position_embeddings_for_vit", 2304},
    {"rope_theta_for_vit", 10000}, {"use_mrope", true}};
// clang-format on

constexpr ModelFile files[] = {
    {"qwen2.5-1.5b", qwen2_5_1_5b},
    {"qwen2.5-14b", qwen2_5_14b},
    {"qwen2.5-7b", qwen2_5_7b},
    {"qwen3-0.6b", qwen3_0_6b},
    {"qwen3-1.7b", qwen3_1_7b},
    {"qwen3-1.7b-base", qwen3_1_7b_base},
    {"qwen3-14b", qwen3_14b},
    {"qwen3-14b-base", qwen3_14b_base},
    {"qwen3-235b-a22b", qwen3_235b_a22b},
    {"qwen3-30b-a3b", qwen3_30b_a3b},
    {"qwen3-30b-a3b-base", qwen3_30b_a3b_base},
    {"qwen3-32b", qwen3_32b},
    {"qwen3-480b-a35b", qwen3_480b_a35b},
    {"qwen3-4b", qwen3_4b},
    {"qwen3-4b-base", qwen3_4b_base},
    {"qwen3-4b-thinking-2507", qwen3_4b_thinking_2507},
    {"qwen3-8b", qwen3_8b},
    {"qwen3-8b-base", qwen3_8b_base},
    {"qwen3-custom-30b-a3b", qwen3_custom_30b_a3b},
    {"qwen3-next-80b-a3b", qwen3_next_80b_a3b},
    {"qwen3-omni-30b-a3b", qwen3_omni_30b_a3b},
    {"qwen3-vl-2b", qwen3_vl_2b},
    {"qwen3-vl-30b-a3b", qwen3_vl_30b_a3b},
    {"qwen3-vl-4b", qwen3_vl_4b},
    {"qwen3.5-35b-a3b", qwen3_5_35b_a3b},
    {"qwen3.5-397b-a17b", qwen3_5_397b_a17b},
};

}  // namespace

std::span<const ModelFile> qwen() { return files; }

}  // namespace primus_plan::maxtext::model_files
