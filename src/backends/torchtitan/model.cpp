#include "backends/torchtitan/model.h"

#include <array>

#include "backends/torchtitan/flavors.h"

namespace primus_plan::torchtitan {
namespace {

constexpr std::string_view llama3_fields[] = {
    "dim",         "n_layers",           "n_heads",   "n_kv_heads",     "vocab_size",
    "multiple_of", "ffn_dim_multiplier", "norm_eps",  "rope_theta",     "rope_scaling_args",
    "max_seq_len", "depth_init",         "attn_type", "attn_mask_type", "eos_id"};
constexpr std::string_view llama4_fields[] = {"dim",
                                              "n_layers",
                                              "n_heads",
                                              "n_kv_heads",
                                              "vocab_size",
                                              "multiple_of",
                                              "ffn_dim_multiplier",
                                              "norm_eps",
                                              "rope_theta",
                                              "rope_scaling_args",
                                              "max_seq_len",
                                              "depth_init",
                                              "attn_type",
                                              "attn_mask_type",
                                              "every_n_layers_nope",
                                              "fixed_attn_block_size",
                                              "moe_args",
                                              "auto_scale_hidden_dim",
                                              "interleave_moe_layer_step"};
constexpr std::string_view deepseek_v3_fields[] = {
    "max_batch_size",   "max_seq_len",      "vocab_size",  "dim",
    "inter_dim",        "moe_inter_dim",    "n_layers",    "n_dense_layers",
    "n_heads",          "norm_eps",         "moe_args",    "moe_impl",
    "n_expert_groups",  "n_limited_groups", "q_lora_rank", "kv_lora_rank",
    "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",  "attn_type",
    "attn_mask_type",   "original_seq_len", "rope_theta",  "rope_factor",
    "beta_fast",        "beta_slow",        "mscale"};
constexpr std::string_view qwen3_fields[] = {"dim",         "n_layers",       "n_heads",     "n_kv_heads",
                                             "vocab_size",  "head_dim",       "hidden_dim",  "norm_eps",
                                             "rope_theta",  "qk_norm",        "max_seq_len", "depth_init",
                                             "attn_type",   "attn_mask_type", "eos_id",      "enable_weight_tying",
                                             "moe_enabled", "moe_inter_dim",  "moe_args"};
constexpr std::string_view gpt_oss_fields[] = {"max_batch_size",
                                               "max_seq_len",
                                               "dtype",
                                               "vocab_size",
                                               "dim",
                                               "moe_inter_dim",
                                               "n_layers",
                                               "norm_eps",
                                               "moe_args",
                                               "swiglu_limit",
                                               "head_dim",
                                               "n_heads",
                                               "n_kv_heads",
                                               "sliding_window_size",
                                               "attn_mask_type",
                                               "attn_type",
                                               "original_seq_len",
                                               "rope_theta",
                                               "rope_factor",
                                               "ntk_alpha",
                                               "ntk_beta"};
constexpr std::string_view flux_fields[] = {"in_channels",         "out_channels", "vec_in_dim", "context_in_dim",
                                            "hidden_size",         "mlp_ratio",    "num_heads",  "depth",
                                            "depth_single_blocks", "axes_dim",     "theta",      "qkv_bias",
                                            "autoencoder_params"};

constexpr std::string_view moe_arguments[] = {"num_experts",
                                              "num_shared_experts",
                                              "score_func",
                                              "route_norm",
                                              "route_scale",
                                              "gate_bias",
                                              "score_before_experts",
                                              "top_k",
                                              "num_expert_groups",
                                              "num_limited_groups",
                                              "use_grouped_mm",
                                              "load_balance_coeff",
                                              "_debug_force_load_balance"};

/// Folders of torchtitan/experiments that register models.
constexpr std::string_view experiments[] = {
    "simple_fsdp", "compiler_toolkit", "vlm", "transformers_modeling_backend", "autoparallel", "rl", "forge", "ft"};

constexpr ClassicHeads classic_heads[] = {{"16B", 16, 16, 128}, {"236B", 40, 8, 128}, {"671B", 56, 8, 128}};

}  // namespace

std::span<const Model> models() {
  static const std::array list{
      Model{Family::llama3, "llama3", "TransformerModelArgs", flavors::llama3, llama3_fields, true, true},
      Model{Family::llama3, "llama3_ft", "TransformerModelArgs", flavors::llama3, llama3_fields, true, true},
      Model{Family::llama4, "llama4", "TransformerModelArgs", flavors::llama4, llama4_fields, true, true},
      Model{Family::deepseek_v3, "deepseek_v3", "DeepSeekV3ModelArgs", flavors::deepseek_v3, deepseek_v3_fields, true,
            false},
      Model{Family::qwen3, "qwen3", "Qwen3ModelArgs", flavors::qwen3, qwen3_fields, false, true},
      Model{Family::gpt_oss, "gpt_oss", "GptOssModelArgs", flavors::gpt_oss, gpt_oss_fields, false, false},
      Model{Family::flux, "flux", "FluxModelArgs", flavors::flux, flux_fields, false, true}};
  return list;
}

const Model* find_model(std::string_view name) {
  for (const Model& model : models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

bool is_experiment(std::string_view name) {
  const std::string_view folder = name.substr(0, name.find('.'));
  for (const std::string_view experiment : experiments) {
    if (folder == experiment) return true;
  }
  return false;
}

const Flavor* find_flavor(const Model& model, std::string_view flavor) {
  for (const Flavor& candidate : model.flavors) {
    if (candidate.name == flavor) return &candidate;
  }
  return nullptr;
}

const ClassicHeads* find_classic_heads(std::string_view flavor) {
  for (const ClassicHeads& heads : classic_heads) {
    if (heads.flavor == flavor) return &heads;
  }
  return nullptr;
}

std::span<const std::string_view> moe_fields() { return moe_arguments; }

}  // namespace primus_plan::torchtitan
