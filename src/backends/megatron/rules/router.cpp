#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";
constexpr const char* router_utils = "megatron/core/transformer/moe/moe_utils.py:topk_routing_with_score_function";

void topk_out_of_range(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run)) return;
  const Int experts = *run.config.num_experts.value;
  const MaybeCount& topk = run.config.moe_router_topk;
  const Int chosen = topk.value.value_or(0);
  if (chosen >= 1 && chosen <= experts) return;
  out.add(topk, [&](Message& m) {
    m.say("moe_router_topk is {}, but a token chooses between 1 and {} of num_experts {}", chosen, experts, experts);
    m.also(run.config.num_experts, "num_experts");
    m.help("set moe_router_topk to a number from 1 to {}", experts);
    const Int nearest = chosen < 1 ? 1 : experts;
    if (experts > 0) m.fix(fmt::format("set moe_router_topk to {}", nearest), topk, fmt::format("{}", nearest));
  });
}

void topk_one_needs_pre_softmax(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (config.moe_router_topk.value != 1 || *config.moe_router_score_function != "softmax") return;
  if (*config.moe_router_pre_softmax || !has_megatron_config(run)) return;
  // Megatron compares with the text: a list is never sinkhorn.
  const Node* types = config.moe_router_load_balancing_type.value;
  if (types != nullptr && types->is_string() && types->text == "sinkhorn") return;
  out.add(config.moe_router_topk, [&](Message& m) {
    m.say("moe_router_topk 1 with softmax scores needs moe_router_pre_softmax: true");
    m.also(config.moe_router_pre_softmax);
    m.because("the softmax over the single chosen expert is always 1, which gives the router no gradient");
    if (!run.is_moe()) m.help("the model has no experts: moe_router_topk can be left out");
    m.fix("softmax before the choice", config.moe_router_pre_softmax, "true");
  });
}

void score_function_unknown(const MegatronRun& run, Findings& out) {
  const Word& score = run.config.moe_router_score_function;
  if (!builds_experts(run) || *score == "softmax" || *score == "sigmoid") return;
  out.add(score, [&](Message& m) {
    m.say("moe_router_score_function {} is neither softmax nor sigmoid", or_null(score));
    offer_word(m, score, "softmax|sigmoid");
  });
}

void expert_bias_needs_sigmoid(const MegatronRun& run, Findings& out) {
  const Word& score = run.config.moe_router_score_function;
  if (!*run.config.moe_router_enable_expert_bias || *score == "sigmoid" || !has_megatron_config(run)) return;
  out.add(run.config.moe_router_enable_expert_bias, [&](Message& m) {
    m.say("moe_router_enable_expert_bias needs moe_router_score_function sigmoid, but it is {}", or_null(score));
    m.also(score);
    fix_either(m, score, "sigmoid", run.config.moe_router_enable_expert_bias, "false");
  });
}

void router_in_low_precision(const MegatronRun& run, Findings& out) {
  constexpr Int many = 32;
  if (!builds_experts(run) || *run.config.num_experts.value < many) return;
  if (!run.config.moe_router_dtype.value.empty()) return;
  out.add(run.config.moe_router_dtype, [&](Message& m) {
    m.say("{} experts are routed in the precision of the model: moe_router_dtype is not set",
          *run.config.num_experts.value);
    m.help("moe_router_dtype: fp32 costs next to nothing and keeps close scores apart");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG424",
      .name = "router-topk-range",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = router_utils,
      .outcome = "the first forward pass stops when it picks the experts (RuntimeError)",
      .summary = "moe_router_topk lies between 1 and num_experts.",
      .explanation = "Every token goes to moe_router_topk experts. Nothing checks the number at start: with more "
                     "than there are, picking fails in the first step; with 0 no expert would ever work.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_topk: 16\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_topk: 2\n"}},
     topk_out_of_range},
    {{.id = "MG425",
      .name = "router-topk-one",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "One expert a token needs the softmax before the choice.",
      .explanation = "With moe_router_topk: 1 a softmax over the chosen scores is always 1 and the router never "
                     "learns. moe_router_pre_softmax takes it over all experts first. TransformerConfig checks "
                     "this for dense models too. Sigmoid scores and sinkhorn balancing are exempt.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_topk: 1\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_topk: 1\n"
                       "moe_router_pre_softmax: true\n"}},
     topk_one_needs_pre_softmax},
    {{.id = "MG426",
      .name = "router-score-unknown",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = router_utils,
      .outcome = "the first forward pass stops in the router (ValueError)",
      .summary = "moe_router_score_function is softmax or sigmoid.",
      .explanation = "Nothing checks the name at start. deepseek_v4, whose router is Primus's own, also has "
                     "sqrtsoftplus.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_score_function: relu\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_score_function: sigmoid\n"}},
     score_function_unknown},
    {{.id = "MG427",
      .name = "expert-bias-without-sigmoid",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "The expert bias needs sigmoid scores.",
      .explanation = "moe_router_enable_expert_bias balances the load without a loss: it adds a learned bias to "
                     "each expert's score, which only makes sense for scores that do not depend on each other.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_enable_expert_bias: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_enable_expert_bias: true\n"
                       "moe_router_score_function: sigmoid\n"}},
     expert_bias_needs_sigmoid},
    {{.id = "MG428",
      .name = "router-low-precision",
      .severity = Severity::note,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron logs a warning and goes on",
      .summary = "Many experts are better routed in fp32.",
      .explanation = "From 32 experts on Megatron itself advises a wider type for the router: in bf16 scores "
                     "that differ little become equal. DeepEP insists on fp32.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 64\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 64\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_dtype: fp32\n"}},
     router_in_low_precision},
};

}  // namespace

RuleList router_rules() { return rules; }

}  // namespace primus_plan::megatron
