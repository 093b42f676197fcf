#include "backends/megatron/written_keys.h"

#include <algorithm>

#include "backends/common/keys.h"
#include "backends/megatron/fields.h"
#include "config/key_names.h"
#include "primus_plan/config/presets.h"

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

/// Primus's own key of DeepSeek-V4; its presets write it for every model.
constexpr DeadName norm_epsilon{"norm_epsilon", "layernorm_epsilon",
                                "Megatron reads layernorm_epsilon, and only DeepSeek-V4 reads norm_epsilon"};

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

bool is_deepseek_v4(const Node& params) {
  const Node* model = params.get("model_type");
  return model != nullptr && model->is_string() && model->text == "deepseek_v4";
}

/// norm_epsilon of another model than DeepSeek-V4 is harmless where it says what Megatron does anyway.
bool misleads(const Node& params, const Node& value) {
  constexpr double megatron_default = 1e-5;
  if (is_deepseek_v4(params)) return false;
  return number(&value) != number(params.get("layernorm_epsilon")).value_or(megatron_default);
}

const DeadName* dead_name(const Node& params, std::string_view name, const Node& value) {
  if (name == norm_epsilon.name) return misleads(params, value) ? &norm_epsilon : nullptr;
  const DeadName* dead = find(dead_names, name);
  return dead != nullptr && (find_read_key("megatron", name) == nullptr || !is_off(value)) ? dead : nullptr;
}

void judge_name(const Node& params, const Entry& entry, std::vector<KeyRemark>& out) {
  const std::string_view name = entry.key->text;
  KeyRemark remark{.fault = KeyFault::dead, .name = name, .value = entry.value.get(), .where = entry.key_origin};
  if ((remark.dead = dead_name(params, name, *entry.value)) != nullptr) {
    out.push_back(remark);
  } else if ((remark.dead = find(twin_names, name)) != nullptr) {
    remark.fault = KeyFault::twin;
    if (!is_off(*entry.value)) out.push_back(remark);
  } else if (find_read_key("megatron", name) == nullptr) {
    remark.fault = KeyFault::unknown;
    out.push_back(remark);
  }
}

/// A preset's key that does nothing. The presets inside the binary repeat Primus's, and are nobody's to mend: of them
/// only what misleads about the model counts.
bool is_inert(const Node& params, const Entry& entry) {
  const std::string_view name = entry.key->text;
  const bool is_ours = is_built_in(entry.key_origin.source->path());
  if (name == norm_epsilon.name) return is_ours ? misleads(params, *entry.value) : !is_deepseek_v4(params);
  return !is_ours && find_read_key("megatron", name) == nullptr;
}

void judge_preset_name(const Node& params, const Entry& entry, std::vector<KeyRemark>& out) {
  if (!entry.key_origin || !is_inert(params, entry)) return;
  out.push_back(
      {.fault = KeyFault::unknown, .name = entry.key->text, .value = entry.value.get(), .where = entry.key_origin});
}

bool has_field(std::string_view name) {
  return std::ranges::any_of(fields(), [&](const Field<MegatronConfig>& field) { return name == field.name; });
}

/// What was written for a text, a word or a name, and read as another type: off, no, 2024-01-01. false itself is how
/// many a text key is switched off.
bool is_text_read_otherwise(const Node& node) {
  if (node.kind == Kind::date || node.kind == Kind::datetime) return true;
  return node.kind == Kind::boolean && !node.raw.empty() && node.environment.empty() && node.raw != "true" &&
         node.raw != "True" && node.raw != "TRUE" && node.raw != "false" && node.raw != "False" && node.raw != "FALSE";
}

/// Reads a value as the field table would read one of this type.
bool fits(const KeyName& key, const Node& node, BadValue& bad) {
  Flag flag;
  MaybeCount count;
  MaybeNumber real;
  switch (key.type) {
    case KeyType::boolean:
      return fields_detail::read(flag, node, bad);
    case KeyType::integer:
      return fields_detail::read(count, node, bad);
    case KeyType::number:
      return fields_detail::read(real, node, bad);
    case KeyType::text:
      bad.expected = "a string";
      return !is_text_read_otherwise(node);
    default:
      break;
  }
  return true;
}

void judge_type(const Entry& entry, std::vector<BadValue>& out) {
  const KeyName* known = find_read_key("megatron", entry.key->text);
  if (known == nullptr) return;
  BadValue bad{.key = known->name.data(), .node = entry.value.get()};
  if (!fits(*known, *entry.value, bad) && !has_field(known->name)) out.push_back(bad);
}

}  // namespace

WrittenKeys find_written_keys(const Node& params) {
  WrittenKeys out;
  for (const Entry& entry : params.entries()) {
    if (!entry.key->is_string()) continue;
    if (!is_written(entry.key_origin)) {
      judge_preset_name(params, entry, out.of_presets);
      continue;
    }
    judge_name(params, entry, out.remarks);
    judge_type(entry, out.bad_values);
    judge_choice(entry.key->text, *entry.value, out.bad_choices);
  }
  return out;
}

}  // namespace primus_plan::megatron
