#include "backends/torchtitan/parsed.h"

#include <algorithm>
#include <charconv>
#include <variant>

namespace primus_plan::torchtitan {
namespace {

/// `"model" in components`, for a list as for a string.
bool names_component(const Raw& components, std::string_view name, bool& readable) {
  if (!components.is_explicit) return true;
  const Node* node = components.value;
  readable = node != nullptr && (node->is_sequence() || node->is_string() || node->is_mapping());
  if (!readable) return false;
  if (node->is_mapping()) return node->get(name) != nullptr;
  if (node->is_string()) return node->text.find(name) != std::string::npos;
  for (const NodePtr& item : node->items) {
    if (item->is_string() && item->text == name) return true;
  }
  return false;
}

constexpr std::string_view layer_prefix = "layers.";

void add_module(std::string_view name, StageParts& stage) {
  stage.embedding = stage.embedding || name == "tok_embeddings";
  stage.norm = stage.norm || name == "norm";
  stage.output = stage.output || name == "output";
  if (!name.starts_with(layer_prefix)) return;
  Int layer = 0;
  const char* begin = name.data() + layer_prefix.size();
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, layer);
  if (error == std::errc{} && stop == end) stage.layers.push_back(layer);
}

ModelParts parse_parts(const Raw& field) {
  ModelParts out;
  if (field.value == nullptr) return out;
  out.given = true;
  out.readable = field.value->is_sequence();
  for (const NodePtr& part : field.value->items) {
    StageParts& stage = out.stages.emplace_back();
    out.readable = out.readable && part->is_sequence();
    for (const NodePtr& module : part->items) {
      if (module->is_string()) add_module(module->text, stage);
      out.readable = out.readable && module->is_string();
    }
  }
  return out;
}

/// A field of MoEArgs by its type.
struct MoeField {
  const char* key;
  std::variant<Int Experts::*, double Experts::*, bool Experts::*, std::string_view Experts::*> member;
  bool may_be_null = false;
};
constexpr MoeField moe_table[] = {
    {"model.moe_args.num_experts", &Experts::count},
    {"model.moe_args.num_shared_experts", &Experts::shared},
    {"model.moe_args.top_k", &Experts::top_k},
    {"model.moe_args.num_expert_groups", &Experts::groups, true},
    {"model.moe_args.num_limited_groups", &Experts::limited_groups, true},
    {"model.moe_args.score_func", &Experts::score_func},
    {"model.moe_args.route_norm", &Experts::route_norm},
    {"model.moe_args.route_scale", &Experts::route_scale},
    {"model.moe_args.gate_bias", &Experts::gate_bias},
    {"model.moe_args.score_before_experts", &Experts::score_before_experts},
    {"model.moe_args.use_grouped_mm", &Experts::use_grouped_mm},
    {"model.moe_args.load_balance_coeff", &Experts::load_balance_coeff, true},
};

/// Reads a field as fields of the configuration are read.
template <class T>
bool read_moe_field(T& target, bool may_be_null, const Node& node, BadValue& bad) {
  Sourced<T> field{.value = target};
  const bool read = (may_be_null && node.is_null()) || fields_detail::read(field, node, bad);
  if (read || bad.usable) target = field.value;
  return read;
}

/// A mapping replaces the whole object: what it leaves out falls back to MoEArgs, not to the flavor. A field that
/// cannot be read stops the run; it keeps the flavor's value, which nothing has to be said against.
/// Source: primus/backends/torchtitan/patches/model_override_patches.py:convert_dict_to_dataclass_recursive.
Experts replaced_experts(const Node& arguments, const Experts& flavor, std::vector<BadValue>& bad_values) {
  Experts out;
  constexpr std::string_view section = "model.moe_args.";
  for (const MoeField& field : moe_table) {
    const Node* node = arguments.get(std::string_view(field.key).substr(section.size()));
    if (node == nullptr) continue;
    std::visit(
        [&](auto member) {
          BadValue bad{.key = field.key, .node = node};
          if (read_moe_field(out.*member, field.may_be_null, *node, bad)) return;
          if (!bad.usable) out.*member = flavor.*member;
          bad_values.push_back(bad);
        },
        field.member);
  }
  return out;
}

void apply_overrides(const TorchTitanConfig& config, Architecture& architecture) {
  const auto set = [](Int& target, const MaybeCount& field) {
    if (field.value) target = *field.value;
  };
  set(architecture.dim, config.model_dim);
  set(architecture.layers, config.model_n_layers);
  set(architecture.heads, config.model_n_heads);
  set(architecture.kv_heads, config.model_n_kv_heads);
  set(architecture.max_seq_len, config.model_max_seq_len);
  set(architecture.vocab, config.model_vocab_size);
  set(architecture.head_dim, config.model_head_dim);
  set(architecture.ffn_dim, config.model_hidden_dim);  // qwen3's name for it
  set(architecture.ffn_dim, config.model_inter_dim);   // deepseek_v3's
  set(architecture.expert_dim, config.model_moe_inter_dim);
  set(architecture.dense_layers, config.model_n_dense_layers);
  set(architecture.q_lora_rank, config.model_q_lora_rank);
  set(architecture.kv_lora_rank, config.model_kv_lora_rank);
  set(architecture.qk_nope_head_dim, config.model_qk_nope_head_dim);
  set(architecture.qk_rope_head_dim, config.model_qk_rope_head_dim);
  set(architecture.v_head_dim, config.model_v_head_dim);
  if (config.model_n_kv_heads.is_explicit && !config.model_n_kv_heads.value) architecture.kv_heads = 0;
  if (config.model_attn_type.value.data() != nullptr) architecture.attention = config.model_attn_type.value;
  if (config.model_enable_weight_tying.is_explicit) architecture.tied_embeddings = *config.model_enable_weight_tying;
  if (config.model_moe_enabled.is_explicit) architecture.moe = *config.model_moe_enabled;
}

Architecture find_architecture(const TorchTitanConfig& config, const Model& model, const Flavor& flavor) {
  Architecture out = flavor.architecture;
  const bool classic = *config.enable_primus_turbo && *config.use_classic_attention;
  if (model.family == Family::deepseek_v3 && classic) {
    if (const ClassicHeads* heads = find_classic_heads(flavor.name)) {
      out.heads = heads->heads;
      out.kv_heads = heads->kv_heads;
      out.head_dim = heads->head_dim;
      out.q_lora_rank = out.kv_lora_rank = 0;
      out.experts.route_norm = true;
    }
  }
  apply_overrides(config, out);
  return out;
}

/// model.moe_args, where the model has such a field.
void apply_moe_arguments(const Node& params, ParsedKeys& out) {
  out.flavor_experts = out.architecture.experts;
  const Node* moe = params.at_path("model.moe_args");
  const auto& model_fields = out.model->fields;
  if (moe == nullptr || std::find(model_fields.begin(), model_fields.end(), "moe_args") == model_fields.end()) return;
  if (moe->is_mapping()) {
    out.architecture.experts = replaced_experts(*moe, out.flavor_experts, out.bad_moe_values);
  } else {
    out.bad_moe_values.push_back({.key = "model.moe_args", .node = moe, .expected = "a mapping"});
  }
}

}  // namespace

Converters parse_converters(const Raw& field) {
  Converters out;
  if (!field.is_explicit) return out;
  if (field.value == nullptr || !field.value->is_sequence()) {
    out.readable = false;
    return out;
  }
  for (const NodePtr& item : field.value->items) {
    if (!item->is_string()) {
      out.readable = false;
      continue;
    }
    const std::string_view name = item->text;
    out.names.push_back(name);
    out.turbo = out.turbo || name == "primus_turbo";
    out.float8_linear = out.float8_linear || name == "quantize.linear.float8";
    out.mx_linear = out.mx_linear || name == "quantize.linear.mx";
    out.grouped_float8 = out.grouped_float8 || name == "quantize.grouped_mm.float8";
  }
  return out;
}

ParsedKeys parse_keys(const TorchTitanConfig& config, const Node& params) {
  ParsedKeys out;
  out.model = find_model(*config.model_name);
  if (out.model != nullptr) out.flavor = find_flavor(*out.model, *config.model_flavor);
  if (out.flavor != nullptr) {
    out.architecture = find_architecture(config, *out.model, *out.flavor);
    apply_moe_arguments(params, out);
  }
  out.schedule = find_schedule(*config.pipeline_parallel_schedule);
  out.converters = parse_converters(config.model_converters);
  const bool compiles = *config.compile_enable;
  out.compiles_model = names_component(config.compile_components, "model", out.components_readable) && compiles;
  out.compiles_loss = names_component(config.compile_components, "loss", out.components_readable) && compiles;
  out.parts = parse_parts(config.module_fqns_per_model_part);
  out.keys = find_key_faults(params, out.model);
  return out;
}

}  // namespace primus_plan::torchtitan
