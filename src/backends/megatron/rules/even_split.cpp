#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

using Kind = LayerFault::Kind;

constexpr const char* layers_to_build = "megatron/core/transformer/transformer_block.py:get_num_layers_to_build";

/// Ways to place a number of layers that PP does not divide.
void help_with_uneven_split(Message& m, const MegatronRun& run) {
  const Int total = layers_with_slots(run);
  const Int pp = run.pp();
  help_with_pipeline_sizes(m, run, total, run.dp() > 0 ? saturating_multiply(run.dp(), pp) : pp);
  const Int layers = *run.config.num_layers.value;
  m.help("num_layers next to it that PP {} divides{}: {}", pp, has_slots(run) ? " with the slots" : "",
         numbers_text(nearest_legal(run, &MegatronConfig::num_layers, layers, pp, total - layers)));
  const Int each = total / pp + (total % pp != 0 ? 1 : 0);
  const Int last = total - saturating_multiply(each, pp - 1);
  if (!has_slots(run) && last > 0 && virtual_selectors(run) == 0) {
    m.help("decoder_last_pipeline_num_layers: {} gives {} layers to each of the other ranks", last, each);
  } else {
    m.help("pipeline_model_parallel_layout places every layer by hand");
  }
}

/// Ways to cut what a rank holds into model chunks.
void help_with_chunks(Message& m, const MegatronRun& run, Int on_rank) {
  m.help("num_virtual_stages_per_pipeline_rank that divides {}: {}", on_rank,
         numbers_text(legal_among(run, &MegatronConfig::num_virtual_stages_per_pipeline_rank, divisors(on_rank))));
}

bool layers_do_not_divide(const MegatronRun& run) {
  const Int total = layers_with_slots(run);
  return total > 0 && run.pp() > 0 && total % run.pp() != 0;
}

void layers_not_divisible(const MegatronRun& run, Findings& out) {
  if (!split_is_checked_early(run) || !layers_do_not_divide(run)) return;
  out.add(run.config.num_layers, [&](Message& m) {
    m.say("{} is not a multiple of pipeline_model_parallel_size {}", layers_text(run), run.pp());
    m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here");
    m.because("each pipeline rank gets the same number of layers unless the ends are set apart");
    help_with_uneven_split(m, run);
  });
}

void layers_not_divisible_late(const MegatronRun& run, Findings& out) {
  if (split_is_checked_early(run) || has_hybrid_pattern(run)) return;
  const MaybeCount& chunks = run.config.num_virtual_stages_per_pipeline_rank;
  if (split_fails(run, Kind::layers_not_divisible)) {
    out.add(run.config.num_layers, [&](Message& m) {
      m.say("{} is not a multiple of pipeline_model_parallel_size {}", layers_text(run), run.pp());
      m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here").also(chunks);
      m.because("validate_args lets this pass here: the model builder is the first to divide");
      help_with_uneven_split(m, run);
    });
  } else if (split_fails(run, Kind::layers_not_divisible_by_virtual)) {
    out.add(chunks, [&](Message& m) {
      m.say("{} layers of each pipeline rank do not split into {} model chunks", run.split.fault->a,
            run.split.fault->b);
      m.because("{} / PP {} = {} layers a rank", layers_text(run), run.pp(), run.split.fault->a);
      help_with_chunks(m, run, run.split.fault->a);
    });
  }
}

void slots_not_divisible(const MegatronRun& run, Findings& out) {
  if (has_hybrid_pattern(run)) return;  // no slots there
  if (split_fails(run, Kind::slots_not_divisible) && !split_is_checked_early(run)) {
    out.add(run.config.num_layers, [&](Message& m) {
      m.say("{} is not a multiple of pipeline_model_parallel_size {}", layers_text(run), run.pp());
      m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here");
      help_with_uneven_split(m, run);
    });
  } else if (split_fails(run, Kind::slots_not_divisible_by_virtual)) {
    out.add(run.config.num_virtual_stages_per_pipeline_rank, [&](Message& m) {
      m.say("{} layers and slots of each pipeline rank do not split into {} model chunks", run.split.fault->a,
            run.split.fault->b);
      m.because("({}) / PP {} = {} a rank", layers_text(run), run.pp(), run.split.fault->a);
      help_with_chunks(m, run, run.split.fault->a);
    });
  }
}

void layer_count_sources(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.given.num_layers;
  const MaybeCount& encoder = run.given.encoder_num_layers;
  if (has_hybrid_pattern(run)) return;
  if (layers.value && encoder.value) {
    out.add(encoder, [&](Message& m) {
      m.say("num_layers {} and encoder_num_layers {} are both set: Megatron takes one of them", *layers.value,
            *encoder.value);
      m.also(layers, "num_layers set here");
      m.fix("set encoder_num_layers to null", encoder, "null");
    });
  } else if (!layers.value && !encoder.value) {
    out.add(layers, [&](Message& m) {
      m.say("num_layers is null and no other key gives the number of layers");
      m.help("set num_layers, or take a model preset that does");
    });
  } else if (!layers.value && run.given.num_layers_per_virtual_pipeline_stage.value) {
    out.add(encoder, [&](Message& m) {
      m.say("num_layers_per_virtual_pipeline_stage divides num_layers, which is null here");
      m.help("give the number of layers as num_layers instead of encoder_num_layers");
    });
  }
}

void no_layers(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.given.num_layers;
  if (!layers.value || *layers.value > 0 || has_hybrid_pattern(run)) return;
  out.add(layers, [&](Message& m) {
    m.say("num_layers is {}: the model has no transformer layer", *layers.value);
    m.help("Megatron builds embedding and output layer alone, without a word");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG301",
      .name = "layers-not-divisible-by-pipeline",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Without first, last or a layout, PP divides the number of layers.",
      .explanation = "Every pipeline rank gets the same number of layers. account_for_embedding_in_pipeline_split and "
                     "account_for_loss_in_pipeline_split count embedding and loss as one layer each. Where the sum "
                     "does not divide, set decoder_first_pipeline_num_layers or decoder_last_pipeline_num_layers for "
                     "the ends, or write a pipeline_model_parallel_layout.",
      .bad = {.world_size = 8, .yaml = "num_layers: 30\npipeline_model_parallel_size: 4\n"},
      .good = {.world_size = 8, .yaml = "num_layers: 32\npipeline_model_parallel_size: 4\n"}},
     layers_not_divisible},
    {{.id = "MG302",
      .name = "virtual-stages-do-not-divide-layers",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = layers_to_build,
      .outcome = "every rank stops while it builds its layers (AssertionError)",
      .summary = "PP x num_virtual_stages_per_pipeline_rank divides num_layers.",
      .explanation = "With num_virtual_stages_per_pipeline_rank the argument checks do not look at the layers at all: "
                     "the run gets as far as the model builder, which divides num_layers by PP and then by the number "
                     "of chunks. Take a number of chunks that divides num_layers / PP.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 4\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 3\n"}},
     layers_not_divisible_late},
    {{.id = "MG303",
      .name = "slots-do-not-divide",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "Layers plus the slots of embedding and loss split evenly over ranks and chunks.",
      .explanation = "account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split count as one "
                     "layer each: num_layers plus these slots must be a multiple of PP, and what a rank gets a "
                     "multiple of its number of chunks.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 22\naccount_for_embedding_in_pipeline_split: true\n"
                      "account_for_loss_in_pipeline_split: true\npipeline_model_parallel_size: 4\n"
                      "num_virtual_stages_per_pipeline_rank: 4\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 22\naccount_for_embedding_in_pipeline_split: true\n"
                       "account_for_loss_in_pipeline_split: true\npipeline_model_parallel_size: 4\n"
                       "num_virtual_stages_per_pipeline_rank: 3\n"}},
     slots_not_divisible},
    {{.id = "MG327",
      .name = "one-layer-count",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Just one of num_layers and encoder_num_layers is set.",
      .explanation =
          "encoder_num_layers is the older name. Megatron copies the one that is set into the other and stops "
          "when both or none are.",
      .bad = {.world_size = 8, .yaml = "num_layers: 24\nencoder_num_layers: 24\n"},
      .good = {.world_size = 8, .yaml = "num_layers: 24\n"}},
     layer_count_sources},
    {{.id = "MG329",
      .name = "no-layers",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = layers_to_build,
      .outcome = "the run trains an embedding and an output layer",
      .summary = "num_layers is positive.",
      .explanation = "Nothing in Megatron stops a model of no layers.",
      .bad = {.world_size = 8, .yaml = "num_layers: 0\n"},
      .good = {.world_size = 8, .yaml = "num_layers: 4\n"}},
     no_layers},
};

}  // namespace

RuleList even_split_rules() { return rules; }

}  // namespace primus_plan::megatron
