#include "backends/megatron/declared_choices.h"

#include <algorithm>

#include "backends/common/choices.h"
#include "config/key_names.h"

namespace primus_plan::megatron {
namespace {

/// Keys whose words rules of their own judge, as far as the run reads them.
constexpr std::string_view judged_elsewhere[] = {
    "attention_backend",                     // MG767
    "cuda_graph_impl",                       // MG751
    "data_parallel_sharding_strategy",       // MG561, MG562
    "dataloader_type",                       // MG228
    "exp_avg_dtype",                         // MG523
    "exp_avg_sq_dtype",                      // MG523
    "fp8_recipe",                            // MG742
    "main_grads_dtype",                      // MG523
    "main_params_dtype",                     // MG523
    "mamba_inference_conv_states_dtype",     // MG523
    "mamba_inference_ssm_states_dtype",      // MG523
    "megatron_fsdp_grad_comm_dtype",         // MG523
    "megatron_fsdp_main_grads_dtype",        // MG523
    "megatron_fsdp_main_params_dtype",       // MG523
    "moe_flex_dispatcher_backend",           // MG418
    "moe_router_score_function",             // MG426
    "moe_token_dispatcher_type",             // MG415
    "non_persistent_ckpt_type",              // MG759
    "optimizer",                             // MG511
    "pipeline_model_parallel_comm_backend",  // MG108
    "recompute_granularity",                 // MG701
    "recompute_method",                      // MG702, MG707
    "rope_type",                             // MG681, MG682
    "sharp_enabled_group",                   // MG107
};

struct Extension {
  std::string_view name;
  std::string_view values;
};

/// Values that are known besides. Sources: torch/distributed/distributed_c10d.py:Backend, BackendConfig (a backend for
/// each kind of device); of Primus's patches primus/backends/megatron/core/fp4_utils.py,
/// primus/backends/megatron/training/tokenizer/tokenizer.py:CUSTOM_TOKENIZER_TYPES.
constexpr Extension known_besides[] = {
    {"distributed_backend", "mpi|ucc|cuda:nccl|cpu:gloo,cuda:nccl|cuda:nccl,cpu:gloo"},
    {"fp4", "mxfp4"},
    {"fp4_recipe", "mxfp4"},
    {"tokenizer_type",
     "DeepSeekV2Tokenizer|DeepSeekV3Tokenizer|DeepSeekV4Tokenizer|KimiK2Tokenizer|Lfm2Tokenizer|Llama3Tokenizer|"
     "Llama4Tokenizer|MixtralTokenizer"},
};

/// Keys that the same test that refuses an unknown word refuses null by. Sources as for MG810.
constexpr std::string_view no_null[] = {"error_injection_type", "lr_decay_style", "lr_wsd_decay_style", "normalization",
                                        "rerun_mode"};

std::vector<Choice> make_table() {
  std::vector<Choice> out;
  for (const KeyName& key : megatron_key_names()) {
    if (key.choices.empty() || std::ranges::find(judged_elsewhere, key.name) != std::end(judged_elsewhere)) continue;
    Choice choice{.name = key.name,
                  .values = std::string(key.choices),
                  .is_integer = key.type == KeyType::integer,
                  .is_number = key.choices.front() >= '0' && key.choices.front() <= '9',
                  .takes_list = key.type == KeyType::list,
                  .takes_null = std::ranges::find(no_null, key.name) == std::end(no_null)};
    const auto* more = std::ranges::find(known_besides, key.name, &Extension::name);
    if (more != std::end(known_besides)) choice.values.append("|").append(more->values);
    out.push_back(std::move(choice));
  }
  return out;
}

/// Sorted by name, as the catalogue is.
const Choice* find_choice(std::string_view key) {
  static const std::vector<Choice> table = make_table();
  const auto at = std::ranges::lower_bound(table, key, {}, &Choice::name);
  return at != table.end() && at->name == key ? &*at : nullptr;
}

/// Whether a value could be one of the declared ones at all.
bool is_judged(const Choice& choice, const Node& value) {
  if (value.kind == Kind::null || (value.is_string() && value.text == "null")) return !choice.takes_null;
  if (value.is_string()) return !choice.is_integer;
  if (value.kind == Kind::integer) return choice.is_number || value.integer != 0;
  return value.is_number() && !choice.is_integer;
}

void judge_word(const Choice& choice, const Node& value, std::vector<BadChoice>& out) {
  if (!is_judged(choice, value)) return;
  const bool has_type = value.is_string() != choice.is_number;
  const std::string word = value.is_string() ? value.text : to_text(value);
  if (!has_type || !is_choice(choice.values, word)) out.push_back({&choice, &value});
}

}  // namespace

void judge_choice(std::string_view key, const Node& value, std::vector<BadChoice>& out) {
  const Choice* choice = find_choice(key);
  if (choice == nullptr) return;
  if (!choice->takes_list || value.items.empty()) return judge_word(*choice, value, out);
  for (const NodePtr& item : value.items) judge_word(*choice, *item, out);
}

}  // namespace primus_plan::megatron
