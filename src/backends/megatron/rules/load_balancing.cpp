#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";
constexpr const char* router = "megatron/core/transformer/moe/router.py:sinkhorn_load_balancing";

/// A list of one is taken out of its list before anything looks at it.
bool is_real_list(const Raw& field) {
  return field.value != nullptr && field.value->is_sequence() && field.value->items.size() != 1;
}

void losses_unmatched(const MegatronRun& run, Findings& out) {
  const Raw& types = run.config.moe_router_load_balancing_type;
  const Raw& weights = run.config.moe_aux_loss_coeff;
  if (!is_real_list(types) || !has_megatron_config(run)) return;
  const std::size_t count = types.value->items.size();
  if (is_real_list(weights) && weights.value->items.size() == count) return;
  out.add(weights, [&](Message& m) {
    if (is_real_list(weights)) {
      m.say("moe_aux_loss_coeff has {} weights, but moe_router_load_balancing_type names {} losses",
            weights.value->items.size(), count);
    } else {
      m.say("moe_router_load_balancing_type names {} losses: moe_aux_loss_coeff has to be a list of {} weights", count,
            count);
    }
    m.also(types);
    m.help("give one weight a loss, in the same order");
  });
}

/// moe_aux_loss_coeff is something else than 0.
bool has_aux_loss(const MegatronRun& run) {
  const Node* weight = run.config.moe_aux_loss_coeff.value;
  if (weight == nullptr) return false;
  if (weight->is_sequence() && weight->items.size() == 1) weight = weight->items.front().get();
  return weight->kind == Kind::real ? weight->real != 0 : weight->kind == Kind::integer && weight->integer != 0;
}

void sinkhorn_with_aux_loss(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || !balances_with(run, "sinkhorn") || !has_aux_loss(run)) return;
  const Raw& weight = run.config.moe_aux_loss_coeff;
  out.add(weight, [&](Message& m) {
    m.say("moe_router_load_balancing_type sinkhorn takes no auxiliary loss, but moe_aux_loss_coeff is {}",
          to_text(*weight.value));
    m.also(run.config.moe_router_load_balancing_type);
    m.fix("no auxiliary loss", weight, "0.0");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG434",
      .name = "load-balancing-weights",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Several load-balancing losses need as many weights.",
      .explanation = "moe_router_load_balancing_type may be a list of losses. moe_aux_loss_coeff then is a list "
                     "of the same length, one weight each.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_load_balancing_type: [aux_loss, seq_aux_loss]\n"
                      "moe_aux_loss_coeff: 0.01\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_load_balancing_type: [aux_loss, seq_aux_loss]\n"
                       "moe_aux_loss_coeff: [0.01, 0.001]\n"}},
     losses_unmatched},
    {{.id = "MG435",
      .name = "sinkhorn-with-aux-loss",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = router,
      .outcome = "the first forward pass stops in the router (AssertionError)",
      .summary = "Sinkhorn balancing takes no auxiliary loss.",
      .explanation = "Sinkhorn assigns tokens evenly by itself. A weight for a loss beside it is refused in the "
                     "first step.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_load_balancing_type: sinkhorn\n"
                      "moe_aux_loss_coeff: 0.01\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_load_balancing_type: sinkhorn\n"
                       "moe_aux_loss_coeff: 0.0\n"}},
     sinkhorn_with_aux_loss},
};

}  // namespace

RuleList load_balancing_rules() { return rules; }

}  // namespace primus_plan::megatron
