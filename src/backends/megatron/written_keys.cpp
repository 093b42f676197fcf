#include "backends/megatron/written_keys.h"

#include <algorithm>
#include <string>

#include "backends/common/choices.h"
#include "backends/megatron/fields.h"
#include "backends/megatron/known_keys.h"
#include "primus_plan/support/text.h"

namespace primus_plan::megatron {
namespace {

/// Keys that presets still carry, or that were read once.
constexpr DeadName dead_names[] = {
    {"async_tensor_model_parallel_allreduce", "", "Megatron overlaps that communication by itself"},
    {"check_for_nan_in_loss", "check_for_nan_in_loss_and_grad", "nothing reads it any more"},
    {"encoder_pipeline_model_parallel_size", "pipeline_model_parallel_size",
     "encoders have no pipeline of their own any more"},
    {"encoder_tensor_model_parallel_size", "tensor_model_parallel_size",
     "encoders have no tensor parallelism of their own any more"},
    {"fully_parallel_save", "ckpt_fully_parallel_save", "nothing reads it any more"},
    {"moe_extended_tp", "expert_tensor_parallel_size", "nothing reads it any more"},
    {"patch_moe_overlap", "overlap_moe_expert_parallel_comm", "nothing reads it any more"},
    {"pipeline_model_parallel_split_rank", "", "encoder-decoder pipelines are gone"},
    {"standalone_embedding_stage", "account_for_embedding_in_pipeline_split", "nothing reads it any more"},
    {"use_custom_fsdp", "use_megatron_fsdp", "only use_megatron_fsdp switches Megatron-FSDP on"},
};

/// Source: megatron/training/arguments.py:core_transformer_config_from_args.
constexpr DeadName twin_names[] = {
    {"batch_p2p_comm", "overlap_p2p_comm", "Megatron sets it to the opposite of overlap_p2p_comm"},
    {"deallocate_pipeline_outputs", "", "Megatron always sets it to true"},
    {"fp8_param", "fp8_param_gather", "Megatron overwrites it with fp8_param_gather"},
    {"num_layers_in_first_pipeline_stage", "decoder_first_pipeline_num_layers",
     "Megatron overwrites it with decoder_first_pipeline_num_layers"},
    {"num_layers_in_last_pipeline_stage", "decoder_last_pipeline_num_layers",
     "Megatron overwrites it with decoder_last_pipeline_num_layers"},
    {"num_moe_experts", "num_experts", "Megatron overwrites it with num_experts"},
    {"pipeline_dtype", "", "Megatron overwrites it with the type of the parameters"},
};

/// What other frameworks, papers and model cards call a key of Megatron's.
constexpr DeadName foreign_names[] = {
    {"context_parallel_degree", "context_parallel_size", ""},
    {"cp", "context_parallel_size", ""},
    {"data_parallel_replicate", "data_parallel_replicate_degree", ""},
    {"ep", "expert_model_parallel_size", ""},
    {"etp", "expert_tensor_parallel_size", ""},
    {"expert_parallel_degree", "expert_model_parallel_size", ""},
    {"expert_parallel_size", "expert_model_parallel_size", ""},
    {"intermediate_size", "ffn_hidden_size", ""},
    {"learning_rate", "lr", ""},
    {"local_batch_size", "micro_batch_size", ""},
    {"max_steps", "train_iters", ""},
    {"num_hidden_layers", "num_layers", ""},
    {"num_key_value_heads", "num_query_groups", ""},
    {"per_device_batch_size", "micro_batch_size", ""},
    {"pipeline_parallel_degree", "pipeline_model_parallel_size", ""},
    {"pipeline_parallel_size", "pipeline_model_parallel_size", ""},
    {"pp", "pipeline_model_parallel_size", ""},
    {"seq_len", "seq_length", ""},
    {"steps", "train_iters", ""},
    {"tensor_parallel_degree", "tensor_model_parallel_size", ""},
    {"tensor_parallel_size", "tensor_model_parallel_size", ""},
    {"tp", "tensor_model_parallel_size", ""},
};

/// Primus's own key of DeepSeek-V4; its presets write it for every model.
constexpr DeadName norm_epsilon{"norm_epsilon", "layernorm_epsilon",
                                "Megatron reads layernorm_epsilon, and only DeepSeek-V4 reads norm_epsilon"};

/// Declared choices of the keys that no rule of their topic judges.
constexpr Choice choices[] = {
    {"bert_embedder_type", "megatron|huggingface"},
    {"ckpt_convert_format", "torch|torch_dist"},
    {"ckpt_fully_parallel_load_exchange_algo", "broadcast|gather_rounds|gather_object"},
    {"ckpt_fully_parallel_load_process_group", "dp|ep_dp"},
    {"ckpt_fully_parallel_save_process_group", "dp|ep_dp"},
    {"cross_entropy_fusion_impl", "native|te"},
    {"dist_ckpt_strictness",
     "assume_ok_unexpected|log_unexpected|log_all|raise_unexpected|raise_all|return_unexpected|return_all|ignore_all"},
    {"distributed_backend", "nccl|gloo"},
    {"experimental_attention_variant", "gated_delta_net|dsa"},
    {"fp8", "e4m3|hybrid"},
    {"fp8_amax_compute_algo", "most_recent|max"},
    {"inprocess_granularity", "node|rank"},
    {"lr_decay_style", "constant|linear|cosine|inverse-square-root|WSD"},
    {"lr_wsd_decay_style", "exponential|linear|cosine|minus_sqrt"},
    {"mask_type", "random|row"},
    {"moe_token_drop_policy", "probs|position"},
    {"muon_fp32_matmul_prec", "low|medium|high"},
    {"muon_scale_mode", "spectral|unit_rms_norm|shape_scaling"},
    {"muon_tp_mode", "blockwise|duplicated|distributed"},
    {"no_weight_decay_cond_type", "apply_wd_to_qk_layernorm"},
    {"non_persistent_local_ckpt_algo", "fully_parallel|atomic"},
    {"normalization", "LayerNorm|RMSNorm"},
    {"outer_dp_sharding_strategy", "no_shard|optim"},
    {"position_embedding_type", "learned_absolute|rope|mrope|relative|none"},
    {"refit_method", "nccl|gloo|nvshmem"},
    {"rerun_mode", "disabled|validate_results|report_stats"},
    {"rl_kv_cache_management_mode", "persist|offload|recompute"},
    {"rl_sequence_packing_algo", "fifo|round-robin"},
    {"softmax_type", "vanilla|off-by-one|learnable"},
    {"symmetric_ar_type", "two_shot|one_shot|multimem_all_reduce"},
    {"timing_log_option", "max|minmax|all"},
    {"tp_comm_bootstrap_backend", "nccl|mpi|gloo"},
    {"transformer_impl", "local|transformer_engine|inference_optimized"},
    {"weight_decay_incr_style", "constant|linear|cosine"},
};

template <std::size_t Size>
const DeadName* find(const DeadName (&table)[Size], std::string_view name) {
  const auto* at = std::ranges::find(table, name, &DeadName::name);
  return at != std::end(table) ? at : nullptr;
}

bool is_off(const Node& value) {
  return value.is_null() || (value.kind == Kind::boolean && !value.boolean) ||
         (value.kind == Kind::integer && value.integer == 0);
}

std::optional<double> number(const Node* node) {
  if (node == nullptr) return std::nullopt;
  if (node->kind == Kind::real) return node->real;
  return node->kind == Kind::integer ? std::optional(static_cast<double>(node->integer)) : std::nullopt;
}

/// norm_epsilon of another model than DeepSeek-V4 is harmless where it says what Megatron does anyway.
bool misleads(const Node& params, const Node& value) {
  constexpr double megatron_default = 1e-5;
  const Node* model = params.get("model_type");
  if (model != nullptr && model->is_string() && model->text == "deepseek_v4") return false;
  return number(&value) != number(params.get("layernorm_epsilon")).value_or(megatron_default);
}

const DeadName* dead_name(const Node& params, std::string_view name, const Node& value) {
  if (name == norm_epsilon.name) return misleads(params, value) ? &norm_epsilon : nullptr;
  const DeadName* dead = find(dead_names, name);
  return dead != nullptr && (find_known_key(name) == nullptr || !is_off(value)) ? dead : nullptr;
}

void judge_name(const Node& params, const Entry& entry, std::vector<KeyRemark>& out) {
  const std::string_view name = entry.key->text;
  KeyRemark remark{.fault = KeyFault::dead, .name = name, .value = entry.value.get(), .where = entry.key_origin};
  if ((remark.dead = dead_name(params, name, *entry.value)) != nullptr) {
    out.push_back(remark);
  } else if ((remark.dead = find(twin_names, name)) != nullptr) {
    remark.fault = KeyFault::twin;
    if (!is_off(*entry.value)) out.push_back(remark);
  } else if (find_known_key(name) == nullptr) {
    remark.fault = KeyFault::unknown;
    out.push_back(remark);
  }
}

/// What the module's own key wrote before the preset's value won.
void find_lost(const Entry& entry, std::vector<KeyRemark>& out) {
  for (const Assignment* at = entry.history.get(); at != nullptr; at = at->previous.get()) {
    if (at->kept || at->key_origin.layer != Layer::experiment) continue;
    out.push_back(
        {.fault = KeyFault::lost, .name = entry.key->text, .value = at->value.get(), .where = at->key_origin});
  }
}

bool has_field(std::string_view name) {
  return std::ranges::any_of(fields(), [&](const Field<MegatronConfig>& field) { return name == field.name; });
}

/// Reads a value as the field table would read one of this type.
bool fits(const KnownKey& key, const Node& node, BadValue& bad) {
  Flag flag;
  MaybeCount count;
  MaybeNumber real;
  switch (key.type) {
    case KeyType::flag:
      return fields_detail::read(flag, node, bad);
    case KeyType::integer:
      return fields_detail::read(count, node, bad);
    case KeyType::real:
      return fields_detail::read(real, node, bad);
    case KeyType::any:
      break;
  }
  return true;
}

void judge_type(const Entry& entry, std::vector<BadValue>& out) {
  const KnownKey* known = find_known_key(entry.key->text);
  if (known == nullptr) return;
  BadValue bad{.key = known->name.data(), .node = entry.value.get()};
  if (!fits(*known, *entry.value, bad) && !has_field(known->name)) out.push_back(bad);
}

void judge_choice(const Entry& entry, std::vector<BadChoice>& out) {
  const Node& node = *entry.value;
  if (!node.is_string() || node.text == "null") return;
  const auto* at = std::ranges::find(choices, std::string_view(entry.key->text), &Choice::name);
  if (at != std::end(choices) && !is_choice(at->values, node.text)) out.push_back({at, &node});
}

}  // namespace

WrittenKeys find_written_keys(const Node& params) {
  WrittenKeys out;
  for (const Entry& entry : params.entries()) {
    if (!entry.key->is_string()) continue;
    find_lost(entry, out.remarks);
    if (!is_written(entry.key_origin)) continue;
    judge_name(params, entry, out.remarks);
    judge_type(entry, out.bad_values);
    judge_choice(entry, out.bad_choices);
  }
  return out;
}

std::string_view probable_key(std::string_view name) {
  std::string plain(name);
  std::ranges::replace(plain, '-', '_');
  std::ranges::transform(plain, plain.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (const KnownKey* known = find_known_key(plain)) return known->name;
  if (const DeadName* foreign = find(foreign_names, plain)) return foreign->instead;
  std::vector<std::string_view> names;
  for (const KnownKey& key : known_keys()) names.push_back(key.name);
  const auto nearest = nearest_names(plain, names, 1);
  return nearest.empty() ? std::string_view() : nearest.front();
}

}  // namespace primus_plan::megatron
