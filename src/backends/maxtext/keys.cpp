#include "backends/maxtext/keys.h"

#include <algorithm>
#include <vector>

#include "backends/maxtext/fields.h"

namespace primus_plan::maxtext {
namespace {

struct Limit {
  std::string_view name;
  double least;
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;
};

/// Bounds that types.py puts on its fields (PositiveInt, NonNegativeInt, ge=, le=, gt=).
constexpr Limit limits[] = {
    {"attn_logits_soft_cap", 0},
    {"block_diffusion_min_noise", 0, 1, true},
    {"causal_block_size", 1},
    {"chunk_attn_window_size", 0},
    {"communication_overlapping_alpha", 0, 1},
    {"dropout_rate", 0, 1},
    {"eval_start_step", 0},
    {"final_logits_soft_cap", 0},
    {"first_num_dense_layers", 0},
    {"gradient_accumulation_steps", 1},
    {"gradient_clipping_threshold", 0},
    {"hbm_utilization_vllm", 0, 1, true},
    {"hidden_size_per_layer_input", 0},
    {"indexer_head_dim", 0},
    {"indexer_n_heads", 0},
    {"indexer_topk", 0},
    {"kv_cache_buffer", 1},
    {"kv_lora_rank", 0},
    {"learning_rate", 0},
    {"learning_rate_schedule_steps", -1},
    {"load_balance_loss_weight", 0},
    {"local_checkpoint_period", 0},
    {"mhc_expansion_rate", 1},
    {"mla_qk_head_chunk_size", 0},
    {"mtp_eval_target_module", 0},
    {"mtp_loss_scaling_factor", 0},
    {"mtp_num_layers", 0},
    {"multi_tier_checkpointing_backup_interval_minutes", 1},
    {"multi_tier_checkpointing_backup_interval_steps", 1},
    {"num_communication_overlapping_steps", 0},
    {"num_experts", 1},
    {"num_experts_per_tok", 1},
    {"num_kv_shared_layers", 0},
    {"num_moe_token_chunks", 1},
    {"o_groups", 0},
    {"o_lora_rank", 0},
    {"q_lora_rank", 0},
    {"qk_nope_head_dim", 0},
    {"qk_rope_head_dim", 0},
    {"replicator_backup_interval_minutes", 0},
    {"ring_scan_unroll", 0},
    {"sharding_tolerance", 0, 1},
    {"shared_experts", 0},
    {"sinkhorn_iterations", 1},
    {"skip_step_interval", 1},
    {"sliding_window_size", 0},
    {"steps", -1},
    {"swap_space_vllm_gb", 0},
    {"v_head_dim", 0},
    {"vocab_size_per_layer_input", 0},
    {"warmup_steps_fraction", 0, 1},
    {"wsd_decay_steps_fraction", 0, 1},
};

struct Choice {
  std::string_view name;
  std::string_view choices;
};

/// Choices of keys that are no fields of the config; the others' stand in the field table.
constexpr Choice choices[] = {
    {"block_diffusion_canvas_policy", "all_masked|seed_and_mask"},
    {"block_diffusion_logit_alignment", "same_position|shifted"},
    {"engram", "remat|device|offload"},
    {"grain_index_storage_option", "in_memory|offloaded"},
    {"sharding_strategy", "experimental"},
    {"vision_encoder_block", "none|gemma3|llama4|qwen3_omni|gemma4|qwen3_5|qwen3_vl"},
};

std::vector<KeySpec> build() {
  std::vector<KeySpec> out;
  for (const KeyName& key : maxtext_key_names()) {
    out.push_back({.name = key.name, .type = key.type, .nullable = key.nullable});
  }
  const auto find = [&](std::string_view name) -> KeySpec& {
    return *std::lower_bound(out.begin(), out.end(), name,
                             [](const KeySpec& a, std::string_view b) { return a.name < b; });
  };
  for (const Limit& limit : limits) {
    KeySpec& spec = find(limit.name);
    spec.least = limit.least;
    spec.most = limit.most;
    spec.above_least = limit.above_least;
  }
  for (const Choice& choice : choices) find(choice.name).choices = choice.choices;
  for (const Field<MaxTextConfig>& field : fields()) find(field.name).choices = field.choices;
  return out;
}

}  // namespace

std::span<const KeySpec> all_keys() {
  static const std::vector<KeySpec> keys = build();
  return keys;
}

const KeySpec* find_key(std::string_view name) {
  const auto keys = all_keys();
  const auto found =
      std::lower_bound(keys.begin(), keys.end(), name, [](const KeySpec& a, std::string_view b) { return a.name < b; });
  return found != keys.end() && found->name == name ? &*found : nullptr;
}

}  // namespace primus_plan::maxtext
