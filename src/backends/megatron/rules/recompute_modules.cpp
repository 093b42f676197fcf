#include <algorithm>
#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig (ValueError)";

constexpr std::array<std::string_view, 7> known_modules{"core_attn", "moe_act", "layernorm",     "mla_up_proj",
                                                        "mlp",       "moe",     "shared_experts"};
constexpr const char* known_text = "core_attn, moe_act, layernorm, mla_up_proj, mlp, moe, shared_experts";

bool is_known(const Node& item) {
  return item.is_string() && std::find(known_modules.begin(), known_modules.end(), item.text) != known_modules.end();
}

void modules_unknown(const MegatronRun& run, Findings& out) {
  const Raw& modules = run.given.recompute_modules;
  if (!recomputes_modules(run) || modules.value == nullptr) return;
  const Node& node = *modules.value;
  if (!node.is_sequence()) {
    out.add(modules, [&](Message& m) {
      m.say("recompute_modules is {}, not a list: Megatron would take a text letter by letter", to_text(node));
      m.help("write a list, for example recompute_modules: [core_attn, layernorm]");
      if (is_known(node)) m.fix("make it a list", modules, fmt::format("[{}]", node.text));
    });
    return;
  }
  for (const NodePtr& item : node.items) {
    if (is_known(*item)) continue;
    out.add(item->origin, [&](Message& m) {
      m.say("{} is no module that recompute_modules knows", to_text(*item));
      m.help("known modules: {}", known_text);
      offer_word(m, *item, known_modules);
    });
  }
}

void moe_act_without_grouped_gemm(const MegatronRun& run, Findings& out) {
  if (!recomputes_modules(run) || !recomputes_module(run, "moe_act") || *run.config.moe_grouped_gemm) return;
  out.add(run.given.recompute_modules, [&](Message& m) {
    m.say("recompute_modules has moe_act but moe_grouped_gemm is off");
    m.also(run.config.moe_grouped_gemm);
    m.help("moe_grouped_gemm: true; or take moe_act out of recompute_modules");
    m.fix("switch moe_grouped_gemm on", run.config.moe_grouped_gemm, "true");
  });
}

void mla_up_proj_without_mla(const MegatronRun& run, Findings& out) {
  if (!recomputes_modules(run) || !recomputes_module(run, "mla_up_proj") || *run.config.multi_latent_attention) return;
  out.add(run.given.recompute_modules, [&](Message& m) {
    m.say("recompute_modules has mla_up_proj but the model has no multi-latent attention");
    m.also(run.config.multi_latent_attention);
    m.help("take mla_up_proj out of recompute_modules");
  });
}

void shared_experts_with_overlap(const MegatronRun& run, Findings& out) {
  if (!recomputes_modules(run) || !recomputes_module(run, "shared_experts")) return;
  if (!run.config.moe_shared_expert_intermediate_size.value || !*run.config.moe_shared_expert_overlap) return;
  out.add(run.given.recompute_modules, [&](Message& m) {
    m.say("shared_experts cannot be recomputed while moe_shared_expert_overlap is on");
    m.also(run.config.moe_shared_expert_overlap);
    m.help("moe_shared_expert_overlap: false; or take shared_experts out of recompute_modules");
    m.fix("switch moe_shared_expert_overlap off", run.config.moe_shared_expert_overlap, "false");
  });
}

void delayed_scaling(const MegatronRun& run, Findings& out) {
  if (!recomputes_modules(run) || !is_set(run.config.fp8) || *run.config.fp8_recipe != "delayed") return;
  const bool moe_act = recomputes_module(run, "moe_act");
  if (!moe_act && !recomputes_module(run, "layernorm")) return;
  out.add(run.given.recompute_modules, [&](Message& m) {
    m.say("{} cannot be recomputed with fp8_recipe delayed", moe_act ? "moe_act" : "layernorm");
    m.also(run.config.fp8_recipe, "delayed keeps a history of maxima that a second pass would spoil");
    m.help("fp8_recipe: tensorwise or blockwise allow it");
    m.fix("set fp8_recipe to tensorwise", run.config.fp8_recipe, "tensorwise");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG713",
      .name = "recompute-modules-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError)",
      .summary = "recompute_modules is a list of known modules.",
      .explanation = "Selective recompute knows core_attn (the default), moe_act, layernorm, mla_up_proj, mlp, moe and "
                     "shared_experts. The key takes a YAML list: a single text is read letter by letter.",
      .bad = {.world_size = 8, .yaml = "recompute_granularity: selective\nrecompute_modules: [attn]\n"},
      .good = {.world_size = 8,
               .yaml = "recompute_granularity: selective\nrecompute_modules: [core_attn, layernorm]\n"}},
     modules_unknown},
    {{.id = "MG714",
      .name = "recompute-moe-act-without-grouped-gemm",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Recompute of moe_act needs moe_grouped_gemm.",
      .explanation = "Only the grouped-GEMM experts can recompute their activation function by itself.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: "
                      "false\nrecompute_granularity: selective\n"
                      "recompute_modules: [moe_act]\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: "
                       "true\nrecompute_granularity: selective\n"
                       "recompute_modules: [moe_act]\n"}},
     moe_act_without_grouped_gemm},
    {{.id = "MG715",
      .name = "recompute-mla-without-mla",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Recompute of mla_up_proj needs multi_latent_attention.",
      .explanation = "mla_up_proj is the up-projection of multi-latent attention; other attention has none.",
      .bad = {.world_size = 8, .yaml = "recompute_granularity: selective\nrecompute_modules: [mla_up_proj]\n"},
      .good = {.world_size = 8, .yaml = "recompute_granularity: selective\nrecompute_modules: [core_attn]\n"}},
     mla_up_proj_without_mla},
    {{.id = "MG716",
      .name = "recompute-shared-experts-with-overlap",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Recompute of shared_experts excludes moe_shared_expert_overlap.",
      .explanation = "With moe_shared_expert_overlap the shared experts run on a stream of their own beside the token "
                     "dispatch; that cannot be replayed in the backward pass.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: "
                      "true\nmoe_shared_expert_intermediate_size: 512\n"
                      "moe_shared_expert_overlap: true\nrecompute_granularity: selective\nrecompute_modules: "
                      "[shared_experts]\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: "
                       "true\nmoe_shared_expert_intermediate_size: 512\n"
                       "moe_shared_expert_overlap: false\nrecompute_granularity: selective\nrecompute_modules: "
                       "[shared_experts]\n"}},
     shared_experts_with_overlap},
    {{.id = "MG717",
      .name = "recompute-with-delayed-scaling",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Recompute of moe_act or layernorm excludes fp8_recipe delayed.",
      .explanation =
          "Delayed scaling derives FP8 scales from a history of maxima; recomputing these modules would record them "
          "twice. delayed is the recipe of the Primus presets: set fp8_recipe to tensorwise or blockwise.",
      .bad =
          {.world_size = 8,
           .yaml =
               "fp8: hybrid\nfp8_recipe: delayed\nrecompute_granularity: selective\nrecompute_modules: [layernorm]\n"},
      .good = {.world_size = 8,
               .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\nrecompute_granularity: selective\nrecompute_modules: "
                       "[layernorm]\n"}},
     delayed_scaling},
};

}  // namespace

RuleList recompute_module_rules() { return rules; }

}  // namespace primus_plan::megatron
