#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// `what` split over a group, told in the words of the two keys.
void split_fault(Findings& out, const MaybeCount& what, const char* group, Int parts, const Origin& other) {
  out.add(what, [&](Message& m) {
    m.say("{} {} is not a multiple of {} {}", what.key, *what.value, group, parts);
    m.also(other, "the degree is set here");
    m.help("nearest legal values: {}", nearest_text(*what.value, parts));
  });
}

bool divides(const MaybeCount& what, Int parts) { return !what.value || parts < 1 || *what.value % parts == 0; }

void heads_over_tensor(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (divides(config.num_attention_heads, run.tp())) return;
  out.add(config.num_attention_heads, [&](Message& m) {
    const Int heads = *config.num_attention_heads.value;
    m.say("num_attention_heads {} is not a multiple of TP {}", heads, run.tp());
    m.also(config.tensor_model_parallel_size, "TP is set here");
    m.help("{} heads split over TP {}", heads, divisors_text(heads, 2 * run.tp()));
  });
}

void groups_over_tensor(const MegatronRun& run, Findings& out) {
  const MaybeCount& groups = run.config.num_query_groups;
  if (!*run.config.group_query_attention || !groups.value || *groups.value < 1 || run.tp() < 1) return;
  if (*groups.value % run.tp() == 0 || run.tp() % *groups.value == 0) return;
  out.add(groups, [&](Message& m) {
    m.say("num_query_groups {} is neither a multiple nor a divisor of TP {}", *groups.value, run.tp());
    m.also(run.config.tensor_model_parallel_size, "TP is set here");
  });
}

void groups_without_flag(const MegatronRun& run, Findings& out) {
  const MaybeCount& groups = run.given.num_query_groups;
  const bool asked = is_asked_for(groups);
  if (*run.config.group_query_attention || *run.config.multi_latent_attention || !asked || !groups.value) return;
  if (groups.value == run.config.num_attention_heads.value) return;
  out.add(groups, [&](Message& m) {
    m.say("num_query_groups {} has no effect: group_query_attention is off, so every head is a group of its own",
          *groups.value);
    m.also(run.config.group_query_attention, "switched off here");
    m.help("set group_query_attention: true");
    m.fix("switch group_query_attention on", run.config.group_query_attention, "true");
  });
}

void heads_over_groups(const MegatronRun& run, Findings& out) {
  const MaybeCount& groups = run.config.num_query_groups;
  if (!*run.config.group_query_attention || !groups.value || *groups.value < 1) return;
  if (divides(run.config.num_attention_heads, *groups.value)) return;
  split_fault(out, run.config.num_attention_heads, "num_query_groups", *groups.value, groups.origin);
}

void hidden_over_heads(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (run.given.kv_channels.value || !config.hidden_size.value || config.num_attention_heads.value.value_or(0) < 1)
    return;
  if (divides(config.hidden_size, *config.num_attention_heads.value)) return;
  out.add(config.hidden_size, [&](Message& m) {
    m.say("hidden_size {} is not a multiple of num_attention_heads {}, and kv_channels is unset",
          *config.hidden_size.value, *config.num_attention_heads.value);
    m.also(config.num_attention_heads);
    m.help("set kv_channels to the width of a head, or choose sizes that divide");
  });
}

void ffn_over_tensor(const MegatronRun& run, Findings& out) {
  if (divides(run.config.ffn_hidden_size, run.tp()) || run.is_moe()) return;
  split_fault(out, run.config.ffn_hidden_size, "TP", run.tp(), run.config.tensor_model_parallel_size.origin);
}

void expert_ffn(const MegatronRun& run, Findings& out) {
  if (!run.is_moe()) return;
  const MegatronConfig& config = run.config;
  if (!divides(config.moe_ffn_hidden_size, run.degrees.expert_tensor)) {
    split_fault(out, config.moe_ffn_hidden_size, "ETP", run.degrees.expert_tensor,
                config.expert_tensor_parallel_size.origin);
  }
  if (!divides(config.moe_shared_expert_intermediate_size, run.tp())) {
    split_fault(out, config.moe_shared_expert_intermediate_size, "TP", run.tp(),
                config.tensor_model_parallel_size.origin);
  }
}

void padded_vocabulary(const MegatronRun& run, Findings& out) {
  if (divides(run.config.padded_vocab_size, run.tp())) return;
  split_fault(out, run.config.padded_vocab_size, "TP", run.tp(), run.config.tensor_model_parallel_size.origin);
}

/// build_tokenizer.py: the vocabulary is padded to a multiple of make_vocab_size_divisible_by x TP.
Int padded(Int vocabulary, Int multiple) { return (vocabulary + multiple - 1) / multiple * multiple; }

void padding_changes_with_tensor(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const Count& multiple = config.make_vocab_size_divisible_by;
  const bool asked = is_asked_for(multiple);
  const Int vocabulary = config.vocab_size.value.value_or(0);
  if (!asked || config.padded_vocab_size.value || vocabulary < 1 || *multiple < 1 || run.tp() < 2) return;
  const Int alone = padded(vocabulary, *multiple);
  const Int together = padded(vocabulary, saturating_multiply(*multiple, run.tp()));
  if (alone == together) return;
  out.add(multiple, [&](Message& m) {
    m.say("the vocabulary of {} is padded to {} at TP {}, but to {} at TP 1: a checkpoint does not load at another TP",
          vocabulary, together, run.tp(), alone);
    m.also(config.vocab_size, "vocab_size set here").also(config.tensor_model_parallel_size, "TP is set here");
    m.because("padding goes to a multiple of make_vocab_size_divisible_by x TP = {} x {}", *multiple, run.tp());
    m.help(
        "a make_vocab_size_divisible_by that is a multiple of every TP you will use (128, say) pads alike everywhere");
  });
}

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
      m.say("add_position_embedding is off, but position_embedding_type is {}, not rope", *type);
      m.also(type);
      m.help("use position_embedding_type: none for a model without positions");
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
    {{.id = "MG630",
      .name = "heads-not-divisible-by-tensor",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops (ValueError)",
      .summary = "num_attention_heads is a multiple of TP.",
      .explanation = "Tensor parallelism gives each rank whole heads.",
      .bad = {.world_size = 8,
              .yaml = "num_attention_heads: 4\n"
                      "tensor_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_attention_heads: 16\n"
                       "tensor_model_parallel_size: 8\n"}},
     heads_over_tensor},
    {{.id = "MG631",
      .name = "query-groups-against-tensor",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops (ValueError)",
      .summary = "num_query_groups is a multiple or a divisor of TP.",
      .explanation = "Each rank holds whole groups, or several ranks hold copies of one.",
      .bad = {.world_size = 8,
              .yaml = "group_query_attention: true\n"
                      "num_attention_heads: 12\n"
                      "hidden_size: 768\n"
                      "num_query_groups: 6\n"
                      "tensor_model_parallel_size: 4\n"},
      .good = {.world_size = 8,
               .yaml = "group_query_attention: true\n"
                       "num_attention_heads: 12\n"
                       "hidden_size: 768\n"
                       "num_query_groups: 4\n"
                       "tensor_model_parallel_size: 4\n"}},
     groups_over_tensor},
    {{.id = "MG632",
      .name = "query-groups-without-flag",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = "megatron/training/arguments.py:core_transformer_config_from_args",
      .outcome = "trains plain multi-head attention",
      .summary = "num_query_groups works only with group_query_attention.",
      .explanation = "With the flag off Megatron drops the number: every head has keys and values of its own, which is "
                     "another, larger model.",
      .bad = {.world_size = 8,
              .yaml = "num_attention_heads: 16\n"
                      "num_query_groups: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_attention_heads: 16\n"
                       "num_query_groups: 8\n"
                       "group_query_attention: true\n"}},
     groups_without_flag},
    {{.id = "MG633",
      .name = "heads-not-divisible-by-groups",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/attention.py:__init__",
      .outcome = "Megatron stops when attention is built (AssertionError)",
      .summary = "num_attention_heads is a multiple of num_query_groups.",
      .explanation = "Every group serves the same number of heads.",
      .bad = {.world_size = 8,
              .yaml = "group_query_attention: true\n"
                      "num_attention_heads: 16\n"
                      "num_query_groups: 6\n"},
      .good = {.world_size = 8,
               .yaml = "group_query_attention: true\n"
                       "num_attention_heads: 16\n"
                       "num_query_groups: 4\n"}},
     heads_over_groups},
    {{.id = "MG634",
      .name = "hidden-not-divisible-by-heads",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "hidden_size is a multiple of num_attention_heads, or kv_channels is set.",
      .explanation = "kv_channels is the width of a head; unset, it is hidden_size / num_attention_heads.",
      .bad = {.world_size = 8,
              .yaml = "hidden_size: 1000\n"
                      "num_attention_heads: 16\n"},
      .good = {.world_size = 8,
               .yaml = "hidden_size: 1024\n"
                       "num_attention_heads: 16\n"}},
     hidden_over_heads},
    {{.id = "MG635",
      .name = "ffn-not-divisible-by-tensor",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/utils.py:divide",
      .outcome = "Megatron stops when the MLP is built (AssertionError)",
      .summary = "ffn_hidden_size is a multiple of TP.",
      .explanation = "Tensor parallelism splits the width of the MLP.",
      .bad = {.world_size = 8,
              .yaml = "ffn_hidden_size: 4100\n"
                      "tensor_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "ffn_hidden_size: 4096\n"
                       "tensor_model_parallel_size: 8\n"}},
     ffn_over_tensor},
    {{.id = "MG636",
      .name = "expert-ffn-not-divisible",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/moe/experts.py:__init__",
      .outcome = "Megatron stops when the experts are built (AssertionError)",
      .summary = "moe_ffn_hidden_size is a multiple of ETP, the shared experts' width of TP.",
      .explanation =
          "Routed experts are split over the expert-tensor-parallel group, shared experts over the dense one.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_ffn_hidden_size: 513\n"
                      "tensor_model_parallel_size: 2\n"
                      "expert_tensor_parallel_size: 2\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_ffn_hidden_size: 512\n"
                       "tensor_model_parallel_size: 2\n"
                       "expert_tensor_parallel_size: 2\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"}},
     expert_ffn},
    {{.id = "MG637",
      .name = "padded-vocabulary-not-divisible",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/utils.py:divide",
      .outcome = "Megatron stops when the embedding is built (AssertionError)",
      .summary = "An explicit padded_vocab_size is a multiple of TP.",
      .explanation = "Unset, Megatron pads the vocabulary itself to a multiple of make_vocab_size_divisible_by x TP.",
      .bad = {.world_size = 8,
              .yaml = "padded_vocab_size: 50257\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "padded_vocab_size: 50304\n"
                       "tensor_model_parallel_size: 2\n"}},
     padded_vocabulary},
    {{.id = "MG638",
      .name = "vocabulary-padding-depends-on-tensor",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/tokenizers/utils/build_tokenizer.py:vocab_size_with_padding",
      .outcome = "trains; the embedding has another size at another TP",
      .summary = "The padded vocabulary should not depend on TP.",
      .explanation = "Megatron pads the vocabulary to a multiple of make_vocab_size_divisible_by x TP. A small "
                     "make_vocab_size_divisible_by makes the size\n"
                     "change with TP, and with it the shapes in the checkpoint.",
      .bad = {.world_size = 8,
              .yaml = "vocab_size: 50257\n"
                      "make_vocab_size_divisible_by: 1\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "vocab_size: 50432\n"
                       "make_vocab_size_divisible_by: 128\n"
                       "tensor_model_parallel_size: 2\n"}},
     padding_changes_with_tensor},
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
                     "tp_comm_overlap_rs, tp_comm_bulk_dgrad and\n"
                     "tp_comm_bulk_wgrad are off; otherwise the replacement is left out without a word.",
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

RuleList dimension_rules() { return rules; }

}  // namespace primus_plan::megatron
