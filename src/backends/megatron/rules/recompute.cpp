#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig (ValueError)";

void granularity_unknown(const MegatronRun& run, Findings& out) {
  const std::string_view granularity = checked_granularity(run);
  if (granularity.data() == nullptr || granularity == "full" || granularity == "selective") return;
  out.add(run.config.recompute_granularity, [&](Message& m) {
    m.say("recompute_granularity is {}: it is full, selective or null", granularity);
    m.help("full recomputes whole layers, selective only recompute_modules, null nothing");
    offer_word(m, run.config.recompute_granularity, "full|selective");
  });
}

void full_without_method(const MegatronRun& run, Findings& out) {
  if (checked_granularity(run) != "full") return;
  const Word& method = run.config.recompute_method;
  if (*method == "block" || *method == "uniform") return;
  out.add(method, [&](Message& m) {
    if (method.value.data() == nullptr) {
      m.say("recompute_granularity is full but recompute_method is null");
      m.fix("set recompute_method to uniform", method, "uniform");
    } else {
      m.say("recompute_method is {}: it is block or uniform", *method);
      offer_word(m, method, "block|uniform");
    }
    m.also(run.config.recompute_granularity);
    m.help(
        "recompute_method: block recomputes the first recompute_num_layers layers of each model chunk, uniform every "
        "layer in groups of that size");
  });
}

void full_without_layers(const MegatronRun& run, Findings& out) {
  if (checked_granularity(run) != "full" || run.config.recompute_num_layers.value) return;
  out.add(run.config.recompute_num_layers, [&](Message& m) {
    m.say(
        "recompute_granularity is full but recompute_num_layers is null: Megatron does not know how many layers to "
        "recompute");
    m.also(run.config.recompute_granularity);
    m.help("recompute_num_layers: 1 with recompute_method: uniform recomputes every layer and saves most memory");
    m.fix("set recompute_num_layers to 1", run.config.recompute_num_layers, "1");
  });
}

/// The keys that full recompute needs besides and the experiment does not set, to stand behind its own.
std::string_view keys_full_lacks(const MegatronRun& run) {
  const bool method = run.config.recompute_method.value.data() != nullptr;
  const bool layers = run.config.recompute_num_layers.value.has_value();
  if (method) return layers ? "" : " with recompute_num_layers";
  return layers ? " with recompute_method" : " with recompute_method and recompute_num_layers";
}

void selective_with_method(const MegatronRun& run, Findings& out) {
  // validate_args looks at the argument itself: recompute_layer_ids hides nothing from it.
  const bool selective = *run.given.recompute_activations || *run.given.recompute_granularity == "selective";
  const Word& method = run.config.recompute_method;
  if (!selective || method.value.data() == nullptr) return;
  out.add(method, [&](Message& m) {
    m.say("recompute_method {} does not go with selective recompute, which has no method", *method);
    m.also(*run.given.recompute_activations ? run.config.recompute_activations.origin
                                            : run.config.recompute_granularity.origin,
           "set here");
    m.help("recompute_method: null keeps selective recompute; recompute_granularity: full{} keeps the method",
           keys_full_lacks(run));
    m.fix("set recompute_method to null", method, "null");
  });
}

void selective_with_layers(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.config.recompute_num_layers;
  if (!recomputes_modules(run) || !layers.value) return;
  out.add(layers, [&](Message& m) {
    m.say("recompute_num_layers {} does not go with selective recompute, which applies to every layer", *layers.value);
    m.also(run.config.recompute_granularity);
    m.help("recompute_num_layers: null keeps selective recompute; recompute_granularity: full{} keeps the number",
           keys_full_lacks(run));
    m.fix("set recompute_num_layers to null", layers, "null");
  });
}

void activations_override_full(const MegatronRun& run, Findings& out) {
  if (!*run.given.recompute_activations || *run.given.recompute_granularity != "full") return;
  out.add(run.config.recompute_activations, [&](Message& m) {
    m.say("recompute_activations turns recompute_granularity full into selective");
    m.also(run.given.recompute_granularity, "full is overwritten");
    const std::string_view lacks = keys_full_lacks(run);
    m.help("recompute_activations: false{} keeps full recompute", lacks);
    m.fix("set recompute_granularity to selective, which is what runs", run.given.recompute_granularity, "selective",
          true);
    if (lacks.empty()) m.fix("switch recompute_activations off", run.config.recompute_activations, "false");
  });
}

void method_without_granularity(const MegatronRun& run, Findings& out) {
  if (run.config.recompute_granularity.value.data() != nullptr) return;
  const Int layers = run.config.recompute_num_layers.value.value_or(0);
  const Word& method = run.config.recompute_method;
  if (method.value.data() == nullptr && layers == 0) return;
  out.add(method.value.data() != nullptr ? method.origin : run.config.recompute_num_layers.origin, [&](Message& m) {
    if (method.value.data() != nullptr) {
      m.say("recompute_method {} has no effect: recompute_granularity is null, nothing is recomputed", *method);
    } else {
      m.say("recompute_num_layers {} has no effect: recompute_granularity is null, nothing is recomputed", layers);
    }
    m.help("recompute_granularity: full switches it on");
    // Who writes null over a preset's method means it.
    if (!is_asked_for(run.config.recompute_granularity))
      m.fix("set recompute_granularity to full", run.config.recompute_granularity, "full");
  });
}

void moe_layer_recompute_with_full(const MegatronRun& run, Findings& out) {
  if (!*run.config.moe_layer_recompute || checked_granularity(run) != "full") return;
  out.add(run.config.moe_layer_recompute, [&](Message& m) {
    m.say("moe_layer_recompute does not go with recompute_granularity full, which recomputes the MoE layers anyway");
    m.also(run.given.recompute_granularity);
    m.help("moe_layer_recompute: false; or recompute_granularity: selective with recompute_modules: [moe]");
    m.fix("switch moe_layer_recompute off", run.config.moe_layer_recompute, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG701",
      .name = "recompute-granularity-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "recompute_granularity is full, selective or null.",
      .explanation = "Activation recompute (checkpointing) trades compute for memory. full recomputes whole layers in "
                     "the backward pass, selective only the parts named in recompute_modules. Names are compared as "
                     "written: Full is not full.",
      .bad = {.world_size = 8, .yaml = "recompute_granularity: sometimes\n"},
      .good = {.world_size = 8, .yaml = "recompute_granularity: selective\n"}},
     granularity_unknown},
    {{.id = "MG702",
      .name = "full-recompute-without-method",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Full recompute needs recompute_method block or uniform.",
      .explanation =
          "uniform cuts the layers of each model chunk into groups of recompute_num_layers and keeps only the input of "
          "each group. block recomputes the first recompute_num_layers layers of each chunk one by one and keeps the "
          "activations of the rest. Only recompute_layer_ids (Primus) goes without a method.",
      .bad = {.world_size = 8, .yaml = "recompute_granularity: full\nrecompute_num_layers: 1\n"},
      .good = {.world_size = 8,
               .yaml = "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 1\n"}},
     full_without_method},
    {{.id = "MG703",
      .name = "full-recompute-without-layers",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Full recompute needs recompute_num_layers.",
      .explanation = "recompute_num_layers is the size of a group (recompute_method: uniform) or the number of layers "
                     "to recompute in each model chunk (block). It has no default.",
      .bad = {.world_size = 8, .yaml = "recompute_granularity: full\nrecompute_method: block\n"},
      .good = {.world_size = 8,
               .yaml = "recompute_granularity: full\nrecompute_method: block\nrecompute_num_layers: 4\n"}},
     full_without_layers},
    {{.id = "MG704",
      .name = "selective-recompute-with-method",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Selective recompute takes no recompute_method.",
      .explanation = "Selective recompute applies to the modules named in recompute_modules in every layer. block and "
                     "uniform belong to full recompute.",
      .bad = {.world_size = 8, .yaml = "recompute_granularity: selective\nrecompute_method: uniform\n"},
      .good = {.world_size = 8, .yaml = "recompute_granularity: selective\n"}},
     selective_with_method},
    {{.id = "MG705",
      .name = "selective-recompute-with-layers",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Selective recompute takes no recompute_num_layers.",
      .explanation = "Selective recompute applies to every layer. To recompute some layers only, use "
                     "recompute_granularity: full with recompute_method: block, or recompute_layer_ids (Primus).",
      .bad = {.world_size = 8, .yaml = "recompute_granularity: selective\nrecompute_num_layers: 1\n"},
      .good = {.world_size = 8, .yaml = "recompute_granularity: selective\nrecompute_num_layers: null\n"}},
     selective_with_layers},
    {{.id = "MG706",
      .name = "recompute-activations-overrides-full",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron goes on with selective recompute",
      .summary = "recompute_activations overwrites recompute_granularity.",
      .explanation = "recompute_activations is the older spelling of recompute_granularity: selective. When both are "
                     "given the flag wins, and a run that was sized for full recompute keeps far more activations.",
      .bad = {.world_size = 8, .yaml = "recompute_activations: true\nrecompute_granularity: full\n"},
      .good = {.world_size = 8, .yaml = "recompute_activations: true\n"}},
     activations_override_full},
    {{.id = "MG707",
      .name = "recompute-without-granularity",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron recomputes nothing",
      .summary = "recompute_method and recompute_num_layers do nothing without recompute_granularity.",
      .explanation = "Every use of recompute_method and recompute_num_layers asks recompute_granularity first. Without "
                     "it no activation is recomputed and the run needs the memory of a run without recompute.",
      .bad = {.world_size = 8, .yaml = "recompute_method: block\nrecompute_num_layers: 4\n"},
      .good = {.world_size = 8,
               .yaml = "recompute_granularity: full\nrecompute_method: block\nrecompute_num_layers: 4\n"}},
     method_without_granularity},
    {{.id = "MG718",
      .name = "moe-layer-recompute-with-full",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "moe_layer_recompute does not go with full recompute.",
      .explanation = "moe_layer_recompute is the older spelling of recompute_granularity: selective with "
                     "recompute_modules: [moe]. Full recompute covers the MoE layers already.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: "
                      "true\nmoe_layer_recompute: true\n"
                      "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 1\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: true\n"
                       "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 1\n"}},
     moe_layer_recompute_with_full},
};

}  // namespace

RuleList recompute_rules() { return rules; }

}  // namespace primus_plan::megatron
