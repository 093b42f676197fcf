#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops when it checks its arguments (AssertionError)";

bool is_latent(const MegatronRun& run) { return *run.config.multi_latent_attention && has_megatron_config(run); }

void latent_with_query_groups(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.multi_latent_attention || !*config.group_query_attention) return;
  out.add(config.group_query_attention, [&](Message& m) {
    m.say("group_query_attention and multi_latent_attention exclude each other");
    m.also(config.multi_latent_attention);
    m.fix("no query groups", config.group_query_attention, "false");
  });
}

void latent_rope_fusion(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  // Unset means yarn with latent attention.
  if (!is_latent(run) || !*config.apply_rope_fusion || !is_set(config.rope_type) || *config.rope_type == "yarn") return;
  out.add(config.apply_rope_fusion, [&](Message& m) {
    m.say("apply_rope_fusion with multi_latent_attention needs rope_type yarn, but it is {}", *config.rope_type);
    m.also(config.rope_type);
    m.fix("no fusion", config.apply_rope_fusion, "false");
  });
}

void rope_type_without_latent(const MegatronRun& run, Findings& out) {
  const Word& type = run.config.rope_type;
  if (*run.config.multi_latent_attention || !has_megatron_config(run)) return;
  if (type.value.data() == nullptr || *type == "rope") return;
  out.add(type, [&](Message& m) {
    m.say("rope_type {} needs multi_latent_attention: other attention knows rope only", *type);
    m.also(run.config.multi_latent_attention);
    m.fix("use rope", type, "rope");
  });
}

void rope_type_unknown(const MegatronRun& run, Findings& out) {
  const Word& type = run.config.rope_type;
  if (!is_latent(run) || type.value.data() == nullptr || *type == "rope" || *type == "yarn") return;
  if (*run.config.apply_rope_fusion) return;  // stops earlier, for its own reason
  out.add(type, [&](Message& m) {
    m.say("rope_type {} is neither rope nor yarn", *type);
    offer_word(m, type, "rope|yarn");
  });
}

void latent_exclusions(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!is_latent(run)) return;
  for (const Flag* key : {&config.rotary_interleaved, &config.attention_output_gate}) {
    if (!**key) continue;
    out.add(*key, [&](Message& m) {
      m.say("{} does not work with multi_latent_attention", key->key);
      m.also(config.multi_latent_attention);
      m.fix("switch it off", *key, "false");
    });
  }
  if (!is_set(config.heterogeneous_layers_config_path)) return;
  out.add(config.heterogeneous_layers_config_path, [&](Message& m) {
    m.say("heterogeneous_layers_config_path does not work with multi_latent_attention");
    m.also(config.multi_latent_attention);
  });
}

void latent_norm(const MegatronRun& run, Findings& out) {
  if (!is_latent(run) || !*run.config.qk_l2_norm) return;
  out.add(run.config.qk_l2_norm, [&](Message& m) {
    m.say("qk_l2_norm does not work with multi_latent_attention");
    m.also(run.config.multi_latent_attention);
    m.fix("no L2 norm", run.config.qk_l2_norm, "false");
  });
}

void latent_cache(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!is_latent(run) || !*config.cache_mla_latents || !*config.apply_rope_fusion) return;
  out.add(config.cache_mla_latents, [&](Message& m) {
    m.say("cache_mla_latents does not work with apply_rope_fusion");
    m.also(config.apply_rope_fusion);
    m.help("the cache serves inference; training does not need it");
    m.fix("no cache", config.cache_mla_latents, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG680",
      .name = "latent-attention-with-query-groups",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "Multi-latent attention has no query groups.",
      .explanation = "multi_latent_attention compresses keys and values by itself; group_query_attention would "
                     "share them between heads.",
      .bad = {.world_size = 8,
              .yaml = "multi_latent_attention: true\n"
                      "group_query_attention: true\n"
                      "num_query_groups: 8\n"},
      .good = {.world_size = 8, .yaml = "multi_latent_attention: true\n"}},
     latent_with_query_groups},
    {{.id = "MG681",
      .name = "latent-attention-rope-fusion",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds MLATransformerConfig (ValueError)",
      .summary = "Fused rotary embeddings of multi-latent attention are yarn.",
      .explanation = "apply_rope_fusion, on in the base preset, has a kernel for yarn only. rope_type: rope "
                     "needs it off.",
      .bad = {.world_size = 8,
              .yaml = "multi_latent_attention: true\n"
                      "rope_type: rope\n"
                      "position_embedding_type: rope\n"
                      "apply_rope_fusion: true\n"},
      .good = {.world_size = 8,
               .yaml = "multi_latent_attention: true\n"
                       "rope_type: rope\n"
                       "position_embedding_type: rope\n"
                       "apply_rope_fusion: false\n"}},
     latent_rope_fusion},
    {{.id = "MG682",
      .name = "rope-type-without-latent-attention",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = "megatron/training/arguments.py:core_transformer_config_from_args",
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError)",
      .summary = "rope_type yarn belongs to multi-latent attention.",
      .explanation = "Ordinary attention takes rope_type null or rope; its scaling has keys of its own "
                     "(use_rope_scaling).",
      .bad = {.world_size = 8, .yaml = "tensor_model_parallel_size: 1\nrope_type: yarn\n"},
      .good = {.world_size = 8, .yaml = "tensor_model_parallel_size: 1\nrope_type: rope\n"}},
     rope_type_without_latent},
    {{.id = "MG683",
      .name = "latent-attention-rope-type",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/multi_latent_attention.py:__init__",
      .outcome = "Megatron stops when it builds the attention (ValueError)",
      .summary = "rope_type is rope or yarn.",
      .explanation = "Multi-latent attention takes yarn when nothing is set.",
      .bad = {.world_size = 8,
              .yaml = "multi_latent_attention: true\n"
                      "apply_rope_fusion: false\n"
                      "rope_type: linear\n"},
      .good = {.world_size = 8,
               .yaml = "multi_latent_attention: true\n"
                       "apply_rope_fusion: false\n"
                       "rope_type: rope\n"}},
     rope_type_unknown},
    {{.id = "MG684",
      .name = "latent-attention-exclusions",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds MLATransformerConfig",
      .summary = "Multi-latent attention lacks some options of other attention.",
      .explanation = "rotary_interleaved, attention_output_gate and layers of different shapes "
                     "(heterogeneous_layers_config_path) are not written for multi_latent_attention.",
      .bad = {.world_size = 8,
              .yaml = "multi_latent_attention: true\n"
                      "apply_rope_fusion: false\n"
                      "rotary_interleaved: true\n"},
      .good = {.world_size = 8,
               .yaml = "multi_latent_attention: true\n"
                       "apply_rope_fusion: false\n"
                       "rotary_interleaved: false\n"}},
     latent_exclusions},
    {{.id = "MG685",
      .name = "latent-attention-norm",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/models/gpt/gpt_layer_specs.py:get_gpt_layer_with_transformer_engine_spec",
      .outcome = "Megatron stops when it chooses the layers (AssertionError)",
      .summary = "Multi-latent attention has no L2 norm of queries and keys.",
      .explanation = "qk_l2_norm is for ordinary attention; qk_layernorm works.",
      .bad = {.world_size = 8,
              .yaml = "multi_latent_attention: true\n"
                      "apply_rope_fusion: false\n"
                      "qk_l2_norm: true\n"},
      .good = {.world_size = 8,
               .yaml = "multi_latent_attention: true\n"
                       "apply_rope_fusion: false\n"
                       "qk_layernorm: true\n"}},
     latent_norm},
    {{.id = "MG686",
      .name = "latent-cache-with-rope-fusion",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds MLATransformerConfig (AssertionError)",
      .summary = "Caching latents excludes fused rotary embeddings.",
      .explanation = "cache_mla_latents keeps the compressed keys and values for inference, before the embedding "
                     "that apply_rope_fusion would fuse into them.",
      .bad = {.world_size = 8,
              .yaml = "multi_latent_attention: true\n"
                      "position_embedding_type: rope\n"
                      "cache_mla_latents: true\n"},
      .good = {.world_size = 8,
               .yaml = "multi_latent_attention: true\n"
                       "position_embedding_type: rope\n"
                       "cache_mla_latents: true\n"
                       "apply_rope_fusion: false\n"}},
     latent_cache},
};

}  // namespace

RuleList latent_attention_rules() { return rules; }

}  // namespace primus_plan::megatron
