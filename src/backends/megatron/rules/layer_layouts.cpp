#include <algorithm>

#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

using Kind = LayerFault::Kind;

constexpr const char* parse_layout = "megatron/core/transformer/pipeline_parallel_layer_layout.py:parse_str_to_list";
constexpr const char* check_layout =
    "megatron/core/transformer/pipeline_parallel_layer_layout.py:validate_layer_layout";

const Raw& layout_key(const MegatronRun& run) { return run.config.pipeline_model_parallel_layout; }

/// The layout as Megatron looks at it: no other selector and no hybrid pattern stop it before.
const PipelineLayout* layout_of(const MegatronRun& run) {
  if (!run.parsed.layout || virtual_selectors(run) != 1 || has_hybrid_pattern(run)) return nullptr;
  return &*run.parsed.layout;
}

Int count_of(const PipelineLayout& layout, char kind) {
  Int total = 0;
  for (const std::string& stage : layout.stages) total += std::count(stage.begin(), stage.end(), kind);
  return total;
}

void layout_is_no_text(const MegatronRun& run, Findings& out) {
  const Raw& layout = layout_key(run);
  if (layout.value == nullptr || layout.value->is_string() || has_hybrid_pattern(run)) return;
  out.add(layout, [&](Message& m) {
    m.say("pipeline_model_parallel_layout is {}: Megatron reads it as a string", to_string(layout.value->kind));
    m.help("one text, stages split by |, e.g. \"Et*12|t*12L\"");
  });
}

void layout_grammar(const MegatronRun& run, Findings& out) {
  const auto& error = run.parsed.layout_error;
  if (!error || has_hybrid_pattern(run)) return;
  const Raw& layout = layout_key(run);
  out.add(layout, [&](Message& m) {
    if (error->kind == LayoutError::Kind::too_long) {
      m.say("the layout grows past a million layers at character {}", error->position + 1);
      return;
    }
    const std::string& text = layout.value->text;
    m.say("\"{}\" in stage {} of the layout is no layer: E, t, m, L and | are",
          text.substr(error->position, error->length), error->stage);
    m.because("character {} of \"{}\"", error->position + 1, text);
    m.help("E is the embedding, t a decoder layer, m a multi-token-prediction layer, L the loss");
    m.help("x*n and (group)*n repeat; groups do not nest, and spaces do not belong here");
  });
}

void layout_stages(const MegatronRun& run, Findings& out) {
  const PipelineLayout* layout = layout_of(run);
  if (layout == nullptr || run.pp() < 1) return;
  const Int stages = std::ssize(layout->stages);
  if (stages % run.pp() == 0) return;
  out.add(layout_key(run), [&](Message& m) {
    m.say("the layout has {}, which is not a multiple of pipeline_model_parallel_size {}", counted(stages, "stage"),
          run.pp());
    m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here");
    m.help("nearest legal numbers of stages: {}", numbers_text(multiples_around(stages, run.pp())));
    help_with_pipeline_sizes(m, run, stages, stages);
  });
}

void layout_with_other_split(const MegatronRun& run, Findings& out) {
  if (layout_of(run) == nullptr || (!has_uneven_ends(run) && !has_slots(run))) return;
  out.add(layout_key(run), [&](Message& m) {
    m.say("a layout places every layer: first, last and slots cannot move any");
    also_uneven_ends(m, run);
    m.also(run.config.account_for_embedding_in_pipeline_split, "account_for_embedding_in_pipeline_split set here");
    m.also(run.config.account_for_loss_in_pipeline_split, "account_for_loss_in_pipeline_split set here");
    m.help("keep either pipeline_model_parallel_layout or the other keys");
  });
}

void layout_ends(const MegatronRun& run, Findings& out) {
  if (layout_of(run) == nullptr || !run.split.fault) return;
  const LayerFault& fault = *run.split.fault;
  const bool ours = fault.kind == Kind::layout_first_not_embedding || fault.kind == Kind::layout_last_not_loss ||
                    fault.kind == Kind::layout_embeddings || fault.kind == Kind::layout_losses;
  if (!ours) return;
  out.add(layout_key(run), [&](Message& m) {
    if (fault.kind == Kind::layout_first_not_embedding) m.say("the layout does not begin with E, the embedding");
    if (fault.kind == Kind::layout_last_not_loss) m.say("the layout does not end with L, the loss");
    if (fault.kind == Kind::layout_embeddings) m.say("the layout has {} embeddings (E) instead of 1", fault.a);
    if (fault.kind == Kind::layout_losses) m.say("the layout has {} losses (L) instead of 1", fault.a);
    m.help("E comes first, L last, each once: \"Et*12|t*12L\"");
  });
}

void layout_layers(const MegatronRun& run, Findings& out) {
  const PipelineLayout* layout = layout_of(run);
  const auto layers = run.config.num_layers.value;
  if (layout == nullptr || !layers) return;
  const Int placed = count_of(*layout, 't');
  if (placed == *layers) return;
  out.add(layout_key(run), [&](Message& m) {
    m.say("the layout places {} decoder layers (t), but num_layers is {}", placed, *layers);
    m.also(run.config.num_layers, "num_layers set here");
    m.help("a layout of this model has {} t in all; num_layers {} would be another model", *layers, placed);
  });
}

void layout_mtp_layers(const MegatronRun& run, Findings& out) {
  const PipelineLayout* layout = layout_of(run);
  if (layout == nullptr) return;
  const Int placed = count_of(*layout, 'm');
  const Int wanted = run.config.mtp_num_layers.value.value_or(0);
  if (placed == wanted) return;
  out.add(layout_key(run), [&](Message& m) {
    m.say("the layout places {} multi-token-prediction layers (m), but mtp_num_layers is {}", placed, wanted);
    m.also(run.config.mtp_num_layers, "mtp_num_layers set here");
    m.help("{}", placed < wanted ? "put m behind the last t, before L" : "take m out, or raise mtp_num_layers");
  });
}

void layout_mtp_order(const MegatronRun& run, Findings& out) {
  if (layout_of(run) == nullptr || !run.split.fault) return;
  const LayerFault& fault = *run.split.fault;
  const bool ours = fault.kind == Kind::layout_mtp_before_decoder || fault.kind == Kind::layout_mtp_not_in_last_chunk ||
                    fault.kind == Kind::layout_mtp_in_many_stages;
  if (!ours) return;
  out.add(layout_key(run), [&](Message& m) {
    if (fault.kind == Kind::layout_mtp_before_decoder) {
      m.say("a decoder layer (t) follows a multi-token-prediction layer (m) in the layout");
    } else if (fault.kind == Kind::layout_mtp_not_in_last_chunk) {
      m.say("multi-token-prediction layers (m) sit in chunk {} of pipeline rank {}, which is not its last", fault.b,
            fault.a);
    } else {
      m.say("multi-token-prediction layers (m) are spread over stages: one holds {} of {}", fault.a, fault.b);
    }
    m.help("all m go into one stage of the last chunk, behind every t");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG317",
      .name = "layout-not-text",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = parse_layout,
      .outcome = "Megatron calls string methods on the value (AttributeError)",
      .summary = "pipeline_model_parallel_layout is a string.",
      .explanation =
          "The configuration class would take a list of lists, but the argument checks parse a string first.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 2\npipeline_model_parallel_size: 2\n"
                      "pipeline_model_parallel_layout: [[E, t], [t, L]]\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 2\npipeline_model_parallel_size: 2\npipeline_model_parallel_layout: \"Et|tL\"\n"}},
     layout_is_no_text},
    {{.id = "MG318",
      .name = "layout-grammar",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = parse_layout,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "A layout is made of E, t, m, L and |, with x*n and (group)*n.",
      .explanation = "Commas are dropped, repetitions written out, then only layers and | may remain. Spaces are no "
                     "layers.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                      "pipeline_model_parallel_layout: \"E t*12 | t*12 L\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                       "pipeline_model_parallel_layout: \"Et*12|t*12L\"\n"}},
     layout_grammar},
    {{.id = "MG319",
      .name = "layout-stages-not-divisible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "The number of stages in a layout is a multiple of PP.",
      .explanation = "Stage s belongs to pipeline rank s % PP as its chunk s / PP. Stages / PP is the virtual pipeline "
                     "size.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                      "pipeline_model_parallel_layout: \"Et*8|t*8|t*8L\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                       "pipeline_model_parallel_layout: \"Et*6|t*6|t*6|t*6L\"\n"}},
     layout_stages},
    {{.id = "MG320",
      .name = "layout-with-other-split",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "A layout goes with no other key that moves layers.",
      .explanation =
          "decoder_first/last_pipeline_num_layers and account_for_embedding/loss_in_pipeline_split balance an "
          "even split; a layout replaces it.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\ndecoder_last_pipeline_num_layers: 12\n"
                      "pipeline_model_parallel_layout: \"Et*12|t*12L\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                       "pipeline_model_parallel_layout: \"Et*12|t*12L\"\n"}},
     layout_with_other_split},
    {{.id = "MG321",
      .name = "layout-embedding-and-loss",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = check_layout,
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError)",
      .summary = "A layout begins with E, ends with L and has each once.",
      .explanation =
          "The letters only pass this check: the embedding is always built on the first stage and the loss on "
          "the last.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                      "pipeline_model_parallel_layout: \"t*12|t*12L\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                       "pipeline_model_parallel_layout: \"Et*12|t*12L\"\n"}},
     layout_ends},
    {{.id = "MG322",
      .name = "layout-layer-count",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = check_layout,
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError)",
      .summary = "A layout places num_layers decoder layers.",
      .explanation = "The number of t in the layout must be num_layers.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                      "pipeline_model_parallel_layout: \"Et*12|t*11L\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\n"
                       "pipeline_model_parallel_layout: \"Et*12|t*12L\"\n"}},
     layout_layers},
    {{.id = "MG323",
      .name = "layout-mtp-count",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = check_layout,
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError)",
      .summary = "A layout places mtp_num_layers multi-token-prediction layers.",
      .explanation = "The number of m in the layout must be mtp_num_layers, 0 when that is null.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nmtp_num_layers: 1\n"
                      "position_embedding_type: rope\npipeline_model_parallel_layout: \"Et*12|t*12L\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nmtp_num_layers: 1\n"
                       "position_embedding_type: rope\npipeline_model_parallel_layout: \"Et*12|t*12mL\"\n"}},
     layout_mtp_layers},
    {{.id = "MG324",
      .name = "layout-mtp-order",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = check_layout,
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError)",
      .summary = "Multi-token-prediction layers share one stage of the last chunk, behind all decoder layers.",
      .explanation = "They read the output of the whole decoder, so no t follows the first m, and all m lie together.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nmtp_num_layers: 1\n"
                      "position_embedding_type: rope\npipeline_model_parallel_layout: \"Et*6m|t*6|t*6|t*6L\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nmtp_num_layers: 1\n"
                       "position_embedding_type: rope\npipeline_model_parallel_layout: \"Et*6|t*6|t*6|t*6mL\"\n"}},
     layout_mtp_order},
};

}  // namespace

RuleList layer_layout_rules() { return rules; }

}  // namespace primus_plan::megatron
