#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

void overlap_without_sequence_parallel(const MegatronRun& run, Findings& out) {
  if (!*run.config.tp_comm_overlap || *run.config.sequence_parallel) return;
  out.add(run.config.tp_comm_overlap, [&](Message& m) {
    if (run.tp() == 1) {
      m.say("tp_comm_overlap needs sequence parallelism, which is off because TP is 1");
    } else {
      m.say("tp_comm_overlap needs sequence_parallel: true");
    }
    m.also(run.config.sequence_parallel).also(run.config.tensor_model_parallel_size);
    m.fix("switch tp_comm_overlap off", run.config.tp_comm_overlap, "false");
  });
}

void overlap_with_fp8(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool parts = *config.tp_comm_overlap_rs || *config.tp_comm_bulk_dgrad || *config.tp_comm_bulk_wgrad;
  if (!*config.tp_comm_overlap || !*config.sequence_parallel || config.fp8.value.data() == nullptr || !parts) return;
  out.add(config.tp_comm_overlap, [&](Message& m) {
    m.say(
        "with fp8, Primus installs its overlap of TP communication only when tp_comm_overlap_rs, tp_comm_bulk_dgrad "
        "and "
        "tp_comm_bulk_wgrad are off");
    m.because("otherwise Transformer Engine's own buffers are used, which do not support ROCm");
    m.also(config.fp8);
  });
}

void query_key_scaling(const MegatronRun& run, Findings& out) {
  if (*run.config.transformer_impl != "transformer_engine") return;
  const auto exported = run.environment.get("NVTE_APPLY_QK_LAYER_SCALING");
  const bool in_environment = exported && *exported != "0" && !exported->empty();
  if (*run.config.apply_query_key_layer_scaling == in_environment) return;
  out.add(run.config.apply_query_key_layer_scaling, [&](Message& m) {
    m.say("apply_query_key_layer_scaling is {}, but NVTE_APPLY_QK_LAYER_SCALING is {}",
          *run.config.apply_query_key_layer_scaling, exported ? *exported : "unset");
    m.help("export NVTE_APPLY_QK_LAYER_SCALING={}", *run.config.apply_query_key_layer_scaling ? 1 : 0);
  });
}

void local_backend(const MegatronRun& run, Findings& out) {
  if (*run.config.attention_backend != "local") return;
  const Node* spec = run.config.spec.value;
  if (spec != nullptr && spec->is_sequence() && !spec->items.empty() && spec->items[0]->text == "local") return;
  out.add(run.config.attention_backend, [&](Message& m) {
    m.say("attention_backend local needs spec: [local], which is {}", spec != nullptr ? to_text(*spec) : "null");
    m.help("use transformer_impl: local with attention_backend: auto");
  });
}

void activation_functions(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.swiglu) return;
  for (const Flag* other : {&config.squared_relu, &config.quick_geglu}) {
    if (!**other) continue;
    out.add(*other, [&](Message& m) {
      m.say("{} and swiglu are both on: a layer has one activation function", other->key);
      m.also(config.swiglu, "swiglu is on here");
    });
  }
}

void fused_activation(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool gelu = !*config.swiglu && !*config.squared_relu && !*config.quick_geglu;
  // core_transformer_config_from_args: one of the two flags becomes bias_activation_fusion.
  const Flag& fusion = *config.swiglu ? config.bias_swiglu_fusion : config.bias_gelu_fusion;
  if (!*fusion) return;
  const bool wrong_function = *config.squared_relu && !*config.swiglu;
  const bool needs_bias = gelu && !*config.add_bias_linear;
  if (!wrong_function && !needs_bias && !*config.use_te_activation_func) return;
  out.add(fusion, [&](Message& m) {
    if (wrong_function) {
      m.say("{} fuses gelu, swiglu and quick_geglu, not squared_relu", fusion.key);
    } else if (needs_bias) {
      m.say("{} needs add_bias_linear with the gelu activation", fusion.key);
    } else {
      m.say("{} and use_te_activation_func exclude each other", fusion.key);
    }
    m.fix(fmt::format("switch {} off", fusion.key), fusion, "false");
  });
}

void position_embeddings(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const Word& type = config.position_embedding_type;
  if (!*config.add_position_embedding && *type != "rope") {
    out.add(config.add_position_embedding, [&](Message& m) {
      m.say("add_position_embedding is off, but position_embedding_type is {}, not rope", or_null(type));
      m.also(type);
      m.help("add_position_embedding: true; a model without positions has position_embedding_type: none besides");
    });
  }
  if (*type == "relative" && *config.transformer_impl != "transformer_engine") {
    out.add(type, [&](Message& m) { m.say("relative position embeddings need transformer_impl: transformer_engine"); });
  }
  if (*type == "mrope" && config.mrope_section.value == nullptr) {
    out.add(type, [&](Message& m) {
      m.say("position_embedding_type mrope needs mrope_section");
      m.help("set mrope_section to a list of integers");
    });
  }
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG640",
      .name = "comm-overlap-without-sequence-parallel",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "tp_comm_overlap needs sequence parallelism.",
      .explanation = "Sequence parallelism is off whenever TP is 1.",
      .bad = {.world_size = 8,
              .yaml = "tp_comm_overlap: true\n"
                      "tensor_model_parallel_size: 1\n"},
      .good = {.world_size = 8,
               .yaml = "tp_comm_overlap: true\n"
                       "tensor_model_parallel_size: 2\n"}},
     overlap_without_sequence_parallel},
    {{.id = "MG641",
      .name = "comm-overlap-with-fp8",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/patches/te_patches/tp_overlap_patches.py:patch_te_tp_overlap",
      .outcome = "runs on buffers that do not support ROCm",
      .summary = "tp_comm_overlap with fp8 needs three of its parts off.",
      .explanation = "Primus replaces Transformer Engine's overlap of TP communication, but with fp8 only when "
                     "tp_comm_overlap_rs, tp_comm_bulk_dgrad and tp_comm_bulk_wgrad are off; otherwise the replacement "
                     "is left out without a word.",
      .bad = {.world_size = 8,
              .yaml = "tensor_model_parallel_size: 2\n"
                      "tp_comm_overlap: true\n"
                      "fp8: hybrid\n"},
      .good = {.world_size = 8,
               .yaml = "tensor_model_parallel_size: 2\n"
                       "tp_comm_overlap: true\n"
                       "fp8: hybrid\n"
                       "tp_comm_overlap_rs: false\n"
                       "tp_comm_bulk_dgrad: false\n"
                       "tp_comm_bulk_wgrad: false\n"}},
     overlap_with_fp8},
    {{.id = "MG642",
      .name = "query-key-scaling",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/extensions/transformer_engine.py:__init__",
      .outcome = "Transformer Engine attention stops (ValueError)",
      .summary = "apply_query_key_layer_scaling agrees with NVTE_APPLY_QK_LAYER_SCALING.",
      .explanation = "Transformer Engine reads the environment, Megatron the key, and Megatron compares them.",
      .bad = {.world_size = 8,
              .yaml = "apply_query_key_layer_scaling: true\n"
                      "num_layers: 24\n"},
      .good = {.world_size = 8,
               .yaml = "apply_query_key_layer_scaling: false\n"
                       "num_layers: 24\n"}},
     query_key_scaling},
    {{.id = "MG643",
      .name = "local-attention-backend",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError or TypeError)",
      .summary = "attention_backend local needs spec: [local].",
      .explanation = "Local layers are usually chosen with transformer_impl: local.",
      .bad = {.world_size = 8,
              .yaml = "attention_backend: local\n"
                      "num_layers: 24\n"},
      .good = {.world_size = 8,
               .yaml = "attention_backend: auto\n"
                       "num_layers: 24\n"}},
     local_backend},
    {{.id = "MG644",
      .name = "two-activation-functions",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = "megatron/training/arguments.py:core_transformer_config_from_args",
      .outcome = "Megatron stops (AssertionError)",
      .summary = "swiglu excludes squared_relu and quick_geglu.",
      .explanation = "A layer has one activation function.",
      .bad = {.world_size = 8,
              .yaml = "swiglu: true\n"
                      "squared_relu: true\n"},
      .good = {.world_size = 8,
               .yaml = "swiglu: true\n"
                       "squared_relu: false\n"}},
     activation_functions},
    {{.id = "MG645",
      .name = "fused-activation",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops (ValueError)",
      .summary = "A fused bias and activation needs a function that can be fused.",
      .explanation = "gelu (with add_bias_linear), swiglu and quick_geglu can; squared_relu and Transformer Engine's "
                     "own activation cannot.",
      .bad = {.world_size = 8,
              .yaml = "swiglu: true\n"
                      "bias_swiglu_fusion: true\n"
                      "use_te_activation_func: true\n"},
      .good = {.world_size = 8,
               .yaml = "swiglu: true\n"
                       "bias_swiglu_fusion: true\n"}},
     fused_activation},
    {{.id = "MG646",
      .name = "position-embeddings",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (RuntimeError)",
      .summary = "Kinds of position embeddings have needs of their own.",
      .explanation = "mrope needs mrope_section, relative needs Transformer Engine, and add_position_embedding: false "
                     "goes with rope only.",
      .bad = {.world_size = 8,
              .yaml = "position_embedding_type: mrope\n"
                      "num_layers: 24\n"},
      .good = {.world_size = 8,
               .yaml = "position_embedding_type: rope\n"
                       "num_layers: 24\n"}},
     position_embeddings},
};

}  // namespace

RuleList layer_option_rules() { return rules; }

}  // namespace primus_plan::megatron
