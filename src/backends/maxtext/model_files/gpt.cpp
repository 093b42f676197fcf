#include "backends/maxtext/model_files/data.h"

namespace primus_plan::maxtext::model_files {
namespace {

// clang-format off
constexpr Setting gpt_oss_120b[] = {
    {"base_emb_dim", 2880}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"head_dim", 64},
    {"sliding_window_size", 128}, {"attention_bias", true}, {"attention_sink", true}, {"rope_type", "yarn"},
    {"rope_max_timescale", 150000}, {"max_position_embeddings", 131072}, {"original_max_position_embeddings", 4096},
    {"rope_factor", 32}, {"beta_fast", 32}, {"beta_slow", 1}, {"rope_interleave", false}, {"rope_truncate", false},
    {"rope_attention_scaling", true}, {"base_mlp_dim", 2880}, {"base_moe_mlp_dim", 2880},
    {"mlp_activations_limit", 7.0}, {"routed_bias", true}, {"mlp_bias", true}, {"num_experts", 128},
    {"num_experts_per_tok", 4}, {"base_num_decoder_layers", 36}, {"vocab_size", 201088},
    {"normalization_layer_epsilon", 1e-05}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"decoder_block", "gpt_oss"}, {"inhomogeneous_layer_cycle_interval", 2}};
constexpr Setting gpt_oss_20b[] = {
    {"base_emb_dim", 2880}, {"base_num_query_heads", 64}, {"base_num_kv_heads", 8}, {"head_dim", 64},
    {"sliding_window_size", 128}, {"attention_bias", true}, {"attention_sink", true}, {"rope_type", "yarn"},
    {"rope_max_timescale", 150000}, {"max_position_embeddings", 131072}, {"original_max_position_embeddings", 4096},
    {"rope_factor", 32}, {"beta_fast", 32}, {"beta_slow", 1}, {"rope_interleave", false}, {"rope_truncate", false},
    {"rope_attention_scaling", true}, {"base_mlp_dim", 2880}, {"base_moe_mlp_dim", 2880},
    {"mlp_activations_limit", 7.0}, {"routed_bias", true}, {"mlp_bias", true}, {"num_experts", 32},
    {"num_experts_per_tok", 4}, {"base_num_decoder_layers", 24}, {"vocab_size", 201088},
    {"normalization_layer_epsilon", 1e-05}, {"enable_dropout", false}, {"logits_via_embedding", false},
    {"decoder_block", "gpt_oss"}, {"inhomogeneous_layer_cycle_interval", 2}};
constexpr Setting gpt3_175b[] = {
    {"base_emb_dim", 12288}, {"base_num_query_heads", 96}, {"base_num_kv_heads", 96}, {"base_mlp_dim", 49152},
    {"base_num_decoder_layers", 96}, {"head_dim", 128}, {"trainable_position_size", 16384}, {"vocab_size", 50304},
    {"enable_dropout", false}, {"logits_via_embedding", true}, {"normalize_embedding_logits", false},
    {"logits_dot_in_fp32", false}, {"normalization_layer_epsilon", 1e-05}, {"use_iota_embed", true},
    {"fused_qkv", true}, {"opt_type", "adam_pax"}, {"decoder_block", "gpt3"},
    {"dataset_path", "gs://mlperf-llm-public2"}, {"dataset_name", "c4/en:3.0.4"},
    {"eval_dataset_name", "c4/en:3.0.5"}, {"gradient_clipping_threshold", 1.0}, {"adam_b1", 0.9}, {"adam_b2", 0.95},
    {"adam_eps", 1e-08}, {"adam_weight_decay", 0.1}, {"checkpoint_period", 10000}, {"target_eval_loss", 2.69},
    {"eval_per_device_batch_size", 1.0}};
constexpr Setting gpt3_22b[] = {
    {"base_emb_dim", 6144}, {"base_num_query_heads", 24}, {"base_num_kv_heads", 24}, {"base_mlp_dim", 24576},
    {"base_num_decoder_layers", 48}, {"head_dim", 256}, {"max_target_length", 1024},
    {"trainable_position_size", 16384}, {"vocab_size", 32768}, {"enable_dropout", false},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"logits_dot_in_fp32", false},
    {"normalization_layer_epsilon", 1e-05}, {"use_iota_embed", true}, {"fused_qkv", true}, {"opt_type", "adam_pax"},
    {"decoder_block", "gpt3"}, {"gradient_clipping_threshold", 1.0}, {"adam_b1", 0.9}, {"adam_b2", 0.95},
    {"adam_eps", 1e-08}, {"adam_weight_decay", 0.1}};
constexpr Setting gpt3_52k[] = {
    {"base_emb_dim", 16}, {"base_num_query_heads", 2}, {"base_num_kv_heads", 2}, {"base_mlp_dim", 64},
    {"base_num_decoder_layers", 1}, {"head_dim", 8}, {"trainable_position_size", 2048}, {"vocab_size", 1024},
    {"enable_dropout", false}, {"logits_via_embedding", true}, {"normalize_embedding_logits", false},
    {"logits_dot_in_fp32", false}, {"normalization_layer_epsilon", 1e-05}, {"use_iota_embed", true},
    {"fused_qkv", true}, {"opt_type", "adam_pax"}, {"decoder_block", "gpt3"}, {"gradient_clipping_threshold", 1.0},
    {"adam_b1", 0.9}, {"adam_b2", 0.95}, {"adam_eps", 1e-08}, {"adam_weight_decay", 0.1},
    {"attention", "dot_product"}};
constexpr Setting gpt3_6b[] = {
    {"base_emb_dim", 3072}, {"base_num_query_heads", 12}, {"base_num_kv_heads", 12}, {"base_mlp_dim", 12288},
    {"base_num_decoder_layers", 48}, {"head_dim", 256}, {"max_target_length", 1024},
    {"trainable_position_size", 16384}, {"vocab_size", 32768}, {"enable_dropout", false},
    {"logits_via_embedding", true}, {"normalize_embedding_logits", false}, {"logits_dot_in_fp32", false},
    {"normalization_layer_epsilon", 1e-05}, {"use_iota_embed", true}, {"fused_qkv", true}, {"opt_type", "adam_pax"},
    {"decoder_block", "gpt3"}, {"gradient_clipping_threshold", 1.0}, {"adam_b1", 0.9}, {"adam_b2", 0.95},
    {"adam_eps", 1e-08}, {"adam_weight_decay", 0.1}};
// clang-format on

constexpr ModelFile files[] = {
    {"gpt-oss-120b", gpt_oss_120b}, {"gpt-oss-20b", gpt_oss_20b}, {"gpt3-175b", gpt3_175b},
    {"gpt3-22b", gpt3_22b},         {"gpt3-52k", gpt3_52k},       {"gpt3-6b", gpt3_6b},
};

}  // namespace

std::span<const ModelFile> gpt() { return files; }

}  // namespace primus_plan::maxtext::model_files
