#include <algorithm>

#include "backends/common/choices.h"
#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

/// The key that the pattern stands in.
const Word& pattern_key(const MegatronRun& run) {
  return run.given.hybrid_layer_pattern.value.data() != nullptr ? run.given.hybrid_layer_pattern
                                                                : run.given.hybrid_override_pattern;
}

void mtp_positions(const MegatronRun& run, Findings& out) {
  // Before use_rotary_position_embeddings has rewritten the type.
  const Word& type = run.given.position_embedding_type;
  const Int depths = run.config.mtp_num_layers.value.value_or(0);
  if (depths == 0 || *type == "rope" || *type == "none") return;
  out.add(type, [&](Message& m) {
    m.say("mtp_num_layers {} with position_embedding_type {}: multi-token prediction takes rope or none", depths,
          type.value.data() != nullptr ? *type : "null");
    m.also(run.config.mtp_num_layers, "mtp_num_layers set here");
    m.help("set position_embedding_type: rope");
    if (type.value.data() == nullptr || is_choice("learned_absolute|mrope|relative", *type)) {
      m.fix("set position_embedding_type to rope", type, "rope");
    } else {
      offer_word(m, type, "learned_absolute|rope|mrope|relative|none");
    }
  });
}

void pattern_and_layers(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.given.num_layers;
  if (!has_hybrid_pattern(run) || !layers.value || !run.parsed.hybrid) return;
  const Int counted = run.parsed.hybrid->layers();
  const bool old = run.given.hybrid_layer_pattern.value.data() == nullptr;
  if (old && *layers.value == counted) return;
  out.add(layers, [&](Message& m) {
    if (old) {
      m.say("num_layers {} does not match the {} layers of hybrid_override_pattern", *layers.value, counted);
    } else {
      m.say("num_layers {} next to hybrid_layer_pattern, which alone says the number of layers ({})", *layers.value,
            counted);
    }
    m.also(pattern_key(run), fmt::format("{} set here", pattern_key(run).key));
    m.help("set num_layers: null");
    // Where the two differ, nobody knows which of them is the slip.
    if (!old) m.fix("set num_layers to null", layers, "null");
  });
}

/// Reports one key that a pattern excludes.
template <class Field>
void report_conflict(const MegatronRun& run, Findings& out, const Field& field, bool only_pipes) {
  out.add(field, [&](Message& m) {
    m.say("{} does not go with {}{}", field.key, pattern_key(run).key, only_pipes ? " that has |" : "");
    m.also(pattern_key(run), fmt::format("{} set here", pattern_key(run).key));
    m.help("write pipeline stages as | in the pattern: \"M*M*|M*M*\"; twice PP segments give 2 model chunks a rank");
  });
}

void pattern_conflicts(const MegatronRun& run, Findings& out) {
  if (!has_hybrid_pattern(run)) return;
  const MegatronConfig& given = run.given;
  if (given.hybrid_layer_pattern.value.data() != nullptr && given.hybrid_override_pattern.value.data() != nullptr)
    report_conflict(run, out, given.hybrid_override_pattern, false);
  for (const MaybeCount* key :
       {&given.num_layers_per_virtual_pipeline_stage, &given.num_virtual_stages_per_pipeline_rank}) {
    if (key->value) report_conflict(run, out, *key, false);
  }
  if (given.pipeline_model_parallel_layout.value != nullptr)
    report_conflict(run, out, given.pipeline_model_parallel_layout, false);
  for (const Flag* slot : {&given.account_for_embedding_in_pipeline_split, &given.account_for_loss_in_pipeline_split}) {
    if (**slot) report_conflict(run, out, *slot, false);
  }
  if (!run.parsed.hybrid || !run.parsed.hybrid->has_pipes()) return;
  for (const MaybeCount* end : {&given.decoder_first_pipeline_num_layers, &given.decoder_last_pipeline_num_layers}) {
    if (end->value) report_conflict(run, out, *end, true);
  }
}

void pattern_segments(const MegatronRun& run, Findings& out) {
  if (!run.parsed.hybrid || !run.parsed.hybrid->has_pipes() || run.pp() < 1) return;
  const Int segments = std::ssize(run.parsed.hybrid->segments);
  if (segments % run.pp() == 0) return;
  out.add(pattern_key(run), [&](Message& m) {
    m.say("the pattern has {} segments between |, which is not a multiple of pipeline_model_parallel_size {}", segments,
          run.pp());
    m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here");
    m.help("nearest legal numbers of segments: {}", numbers_text(multiples_around(segments, run.pp())));
  });
}

void pattern_symbols(const MegatronRun& run, Findings& out) {
  const auto& error = run.parsed.hybrid_error;
  if (!error) return;
  out.add(pattern_key(run), [&](Message& m) {
    if (error->kind == HybridError::Kind::different_mtp_patterns) {
      m.say("the multi-token-prediction patterns behind / differ: all depths share one pattern");
      return;
    }
    m.say("character {} of the pattern, \"{}\", is no layer symbol", error->position + 1,
          pattern_key(run).value.substr(std::min(error->position, pattern_key(run).value.size()), error->length));
    m.help(
        "M is a Mamba layer, * attention, - an MLP, E a mixture of experts; | splits stages, / begins "
        "multi-token-prediction patterns");
  });
}

void pattern_does_not_divide(const MegatronRun& run, Findings& out) {
  if (!run.parsed.hybrid || run.parsed.hybrid->has_pipes() || !split_fails(run, LayerFault::Kind::layers_not_divisible))
    return;
  out.add(pattern_key(run), [&](Message& m) {
    m.say("the pattern's {} layers are not a multiple of pipeline_model_parallel_size {}", run.split.fault->a,
          run.pp());
    m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here");
    m.help("split the pattern by | into {} segments", run.pp());
    help_with_pipeline_sizes(m, run, run.split.fault->a, 64);
  });
}

/// Sizes of the Mamba mixers that this run builds; heads 0 when it builds none. Source: mamba_mixer.py:__init__.
struct MambaSizes {
  Int inner = 0;
  Int heads = 0;
  Int groups = 0;
};

bool builds_mamba_mixers(const MegatronRun& run) {
  if (*run.config.model_type != "mamba" || !run.parsed.hybrid) return false;
  if (const Node* spec = run.config.spec.value; spec != nullptr && spec->items.size() == 2) {
    // Primus's linear-attention stacks put other mixers where the pattern says M.
    const std::string& name = spec->items[1]->text;
    if (name.starts_with("gdn") || name.starts_with("kda")) return false;
  }
  for (const std::string& segment : run.parsed.hybrid->segments) {
    if (segment.find('M') != std::string::npos) return true;
  }
  return false;
}

MambaSizes mamba_sizes(const MegatronRun& run) {
  if (!builds_mamba_mixers(run) || run.tp() < 1 || *run.config.mamba_head_dim < 1 || *run.config.mamba_num_groups < 1)
    return {};
  MambaSizes sizes{
      .inner = 2 * run.config.hidden_size.value.value_or(0), .heads = 0, .groups = *run.config.mamba_num_groups};
  sizes.heads = run.config.mamba_num_heads.value.value_or(sizes.inner / *run.config.mamba_head_dim);
  return sizes;
}

void mamba_tensor_parallel(const MegatronRun& run, Findings& out) {
  const MambaSizes sizes = mamba_sizes(run);
  if (sizes.heads < 1) return;
  const MegatronConfig& config = run.config;
  const bool inner = !config.mamba_num_heads.value && sizes.inner % *config.mamba_head_dim != 0;
  const bool heads = sizes.heads % run.tp() != 0;
  const bool groups = sizes.groups % run.tp() != 0;
  const bool shared = sizes.heads % sizes.groups != 0;
  if (!inner && !heads && !groups && !shared) return;
  out.add(config.mamba_num_groups, [&](Message& m) {
    if (inner) {
      m.say("2 x hidden_size = {} is not a multiple of mamba_head_dim {}", sizes.inner, *config.mamba_head_dim);
    } else if (heads) {
      m.say("{} Mamba heads are not a multiple of tensor_model_parallel_size {}", sizes.heads, run.tp());
    } else if (groups) {
      m.say("mamba_num_groups {} is not a multiple of tensor_model_parallel_size {}", sizes.groups, run.tp());
    } else {
      m.say("{} Mamba heads are not a multiple of mamba_num_groups {}", sizes.heads, sizes.groups);
    }
    if (!config.mamba_num_heads.value) {
      m.because("heads {} = 2 x hidden_size / mamba_head_dim {}", sizes.heads, *config.mamba_head_dim);
    }
    m.also(config.tensor_model_parallel_size, "tensor_model_parallel_size set here");
    m.help("heads and groups are both cut by TP, and every group serves whole heads");
  });
}

void mamba_context_parallel(const MegatronRun& run, Findings& out) {
  const MambaSizes sizes = mamba_sizes(run);
  if (sizes.heads < 1 || run.cp() < 2 || sizes.heads % run.tp() != 0 || sizes.groups % run.tp() != 0) return;
  const Int heads = sizes.heads / run.tp();
  const Int groups = sizes.groups / run.tp();
  const bool heads_fit = heads % run.cp() == 0;
  const bool groups_fit = groups < run.cp() ? run.cp() % groups == 0 : groups % run.cp() == 0;
  if (heads_fit && groups_fit) return;
  out.add(run.config.context_parallel_size, [&](Message& m) {
    if (!heads_fit) {
      m.say("{} Mamba heads of a tensor rank are not a multiple of context_parallel_size {}", heads, run.cp());
    } else {
      m.say("{} Mamba groups of a tensor rank and context_parallel_size {}: neither divides the other", groups,
            run.cp());
    }
    m.because("{} heads and {} groups over TP {}", sizes.heads, sizes.groups, run.tp());
    m.also(run.config.mamba_num_heads, "mamba_num_heads set here").also(run.config.mamba_num_groups);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG380",
      .name = "mtp-position-embedding",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Multi-token prediction needs rotary or no position embedding.",
      .explanation = "The base preset takes learned_absolute. use_rotary_position_embeddings comes too late to help.",
      .bad = {.world_size = 8,
              .yaml = "mtp_num_layers: 1\nadd_position_embedding: true\nposition_embedding_type: learned_absolute\n"},
      .good = {.world_size = 8, .yaml = "mtp_num_layers: 1\nposition_embedding_type: rope\n"}},
     mtp_positions},
    {{.id = "MG382",
      .name = "hybrid-pattern-with-layer-count",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "hybrid_layer_pattern says the number of layers; num_layers is null.",
      .explanation = "The base preset sets num_layers: 24, so null has to be written. With the deprecated "
                     "hybrid_override_pattern an equal number is taken.",
      .bad = {.world_size = 8, .yaml = "hybrid_layer_pattern: \"M*M*\"\nnum_layers: 4\n"},
      .good = {.world_size = 8, .yaml = "hybrid_layer_pattern: \"M*M*\"\nnum_layers: null\n"}},
     pattern_and_layers},
    {{.id = "MG383",
      .name = "hybrid-pattern-with-other-split",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "A hybrid pattern goes with no other key that places layers.",
      .explanation =
          "Stages and model chunks of a hybrid model are the segments between | of its pattern. Without |, only "
          "decoder_first/last_pipeline_num_layers may help.",
      .bad = {.world_size = 8,
              .yaml = "hybrid_layer_pattern: \"M*|M*\"\nnum_layers: null\npipeline_model_parallel_size: 2\n"
                      "num_virtual_stages_per_pipeline_rank: 2\n"},
      .good = {.world_size = 8,
               .yaml = "hybrid_layer_pattern: \"M*M*|M*M*\"\nnum_layers: null\npipeline_model_parallel_size: 2\n"}},
     pattern_conflicts},
    {{.id = "MG385",
      .name = "hybrid-segments-not-divisible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "The number of segments in a hybrid pattern is a multiple of PP.",
      .explanation = "Segments / PP is the virtual pipeline size.",
      .bad = {.world_size = 8,
              .yaml = "hybrid_layer_pattern: \"M*|M*|M*\"\nnum_layers: null\npipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "hybrid_layer_pattern: \"M*|M*|M*|M*\"\nnum_layers: null\npipeline_model_parallel_size: 2\n"}},
     pattern_segments},
    {{.id = "MG386",
      .name = "hybrid-pattern-symbols",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "megatron/core/ssm/mamba_hybrid_layer_allocation.py:_validate_pattern",
      .outcome = "Megatron stops (ValueError)",
      .summary = "A hybrid pattern is made of layer symbols, | and /.",
      .explanation =
          "M, *, - and E are layers. What follows / is the pattern of one multi-token-prediction depth, the same "
          "for all.",
      .bad = {.world_size = 8, .yaml = "hybrid_layer_pattern: \"MX\"\nnum_layers: null\n"},
      .good = {.world_size = 8, .yaml = "hybrid_layer_pattern: \"M*-M*-\"\nnum_layers: null\n"}},
     pattern_symbols},
    {{.id = "MG387",
      .name = "hybrid-layers-not-divisible",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/ssm/mamba_hybrid_layer_allocation.py:select_pipeline_segment",
      .outcome = "every rank stops while it selects its layers (ValueError)",
      .summary = "Without |, PP divides the layers of a hybrid pattern.",
      .explanation = "The argument checks leave hybrid models alone; the model cuts the pattern into PP equal parts.",
      .bad = {.world_size = 8,
              .yaml = "hybrid_layer_pattern: \"M*M\"\nnum_layers: null\npipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "hybrid_layer_pattern: \"M*M*\"\nnum_layers: null\npipeline_model_parallel_size: 2\n"}},
     pattern_does_not_divide},
    {{.id = "MG388",
      .name = "mamba-tensor-parallel",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/ssm/mamba_mixer.py:__init__",
      .outcome = "every rank stops while it builds the mixer (AssertionError)",
      .summary = "TP divides the heads and groups of Mamba layers.",
      .explanation =
          "heads is mamba_num_heads, or 2 x hidden_size / mamba_head_dim. Heads and groups are cut by TP, and "
          "groups divide heads.",
      .bad = {.world_size = 8,
              .yaml = "model_type: mamba\nhybrid_layer_pattern: \"M*M*\"\nnum_layers: null\nmamba_num_groups: 2\n"
                      "tensor_model_parallel_size: 4\n"},
      .good = {.world_size = 8,
               .yaml = "model_type: mamba\nhybrid_layer_pattern: \"M*M*\"\nnum_layers: null\nmamba_num_groups: 8\n"
                       "tensor_model_parallel_size: 4\n"}},
     mamba_tensor_parallel},
    {{.id = "MG389",
      .name = "mamba-context-parallel",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/ssm/mamba_context_parallel.py:__init__",
      .outcome = "every rank stops while it builds the mixer (AssertionError)",
      .summary = "CP divides the Mamba heads of a tensor rank, and fits its groups.",
      .explanation =
          "Context parallelism spreads heads over its ranks. Groups are spread too, or repeated where there are "
          "fewer than ranks.",
      .bad = {.world_size = 8,
              .yaml = "model_type: mamba\nhybrid_layer_pattern: \"M*M*\"\nnum_layers: null\nmamba_num_heads: 12\n"
                      "mamba_num_groups: 2\ntensor_model_parallel_size: 2\ncontext_parallel_size: 4\n"},
      .good = {.world_size = 8,
               .yaml = "model_type: mamba\nhybrid_layer_pattern: \"M*M*\"\nnum_layers: null\nmamba_num_heads: 32\n"
                       "mamba_num_groups: 8\ntensor_model_parallel_size: 2\ncontext_parallel_size: 4\n"}},
     mamba_context_parallel},
};

}  // namespace

RuleList hybrid_model_rules() { return rules; }

}  // namespace primus_plan::megatron
