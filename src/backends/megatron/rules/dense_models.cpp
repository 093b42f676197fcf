#include <fmt/core.h>

#include <string>
#include <variant>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"

namespace primus_plan::megatron {
namespace {

/// Keys that only layers with experts read. moe_ffn_hidden_size is not among them: it stops a dense run (MG404).
constexpr Field<MegatronConfig>::Member expert_keys[] = {
    &MegatronConfig::moe_aux_loss_coeff,
    &MegatronConfig::moe_enable_deepep,
    &MegatronConfig::moe_expert_capacity_factor,
    &MegatronConfig::moe_grouped_gemm,
    &MegatronConfig::moe_layer_freq,
    &MegatronConfig::moe_layer_recompute,
    &MegatronConfig::moe_pad_expert_input_to_capacity,
    &MegatronConfig::moe_permute_fusion,
    &MegatronConfig::moe_router_dtype,
    &MegatronConfig::moe_router_enable_expert_bias,
    &MegatronConfig::moe_router_fusion,
    &MegatronConfig::moe_router_group_topk,
    &MegatronConfig::moe_router_load_balancing_type,
    &MegatronConfig::moe_router_num_groups,
    &MegatronConfig::moe_router_pre_softmax,
    &MegatronConfig::moe_router_score_function,
    &MegatronConfig::moe_router_topk,
    &MegatronConfig::moe_shared_expert_intermediate_size,
    &MegatronConfig::moe_shared_expert_overlap,
    &MegatronConfig::moe_token_dispatcher_type,
    &MegatronConfig::moe_use_legacy_grouped_gemm,
};

bool asks_for_something(const Flag& field) { return *field; }
bool asks_for_something(const Word& field) { return field.value.data() != nullptr; }
bool asks_for_something(const Raw& field) { return field.value != nullptr; }
template <class T>
bool asks_for_something(const Sourced<std::optional<T>>& field) {
  return field.value.has_value();
}
bool asks_for_something(const Count&) { return true; }
bool asks_for_something(const Number&) { return true; }

/// Set by the experiment itself, not by one of its presets, and to more than "off".
template <class T>
bool is_switched_on(const Sourced<T>& field) {
  return is_asked_for(field) && asks_for_something(field);
}

void expert_keys_on_dense_model(const MegatronRun& run, Findings& out) {
  if (run.is_moe()) return;
  const char* first = nullptr;
  Origin where;
  for (const auto& key : expert_keys) {
    std::visit(
        [&](auto member) {
          const auto& field = run.given.*member;
          if (first != nullptr || !is_switched_on(field)) return;
          first = field.key;
          where = field.origin;
        },
        key);
  }
  if (first == nullptr) return;
  out.add(where, [&](Message& m) {
    std::string names;
    for (const auto& key : expert_keys) {
      std::visit(
          [&](auto member) {
            const auto& field = run.given.*member;
            if (!is_switched_on(field)) return;
            names += fmt::format("{}{}", names.empty() ? "" : ", ", field.key);
            if (field.key != first) m.also(field);
          },
          key);
    }
    m.say("no effect in a model without experts (num_experts is not set): {}", names);
    m.help("set num_experts, or remove the keys");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG405",
      .name = "expert-keys-on-dense-model",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/models/gpt/gpt_layer_specs.py:get_gpt_layer_with_transformer_engine_spec",
      .outcome = "Megatron builds dense layers and reads none of these keys",
      .summary = "Keys about experts do nothing in a dense model.",
      .explanation = "Without num_experts every layer is dense: its router, dispatcher, capacity and shared- "
                     "expert keys are accepted and never read. Only what the experiment itself sets to more than "
                     "\"off\" is reported.",
      .bad = {.world_size = 8,
              .yaml = "moe_token_dispatcher_type: alltoall\n"
                      "moe_grouped_gemm: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_grouped_gemm: true\n"}},
     expert_keys_on_dense_model},
};

}  // namespace

RuleList dense_model_rules() { return rules; }

}  // namespace primus_plan::megatron
