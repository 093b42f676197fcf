#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

using Kind = LayerFault::Kind;

/// "num_layers 24 - first 10 - last 13 = 1 for the 0 middle ranks".
void because_of_middle(Message& m, const MegatronRun& run) {
  const auto first = run.config.decoder_first_pipeline_num_layers.value;
  const auto last = run.config.decoder_last_pipeline_num_layers.value;
  std::string text = fmt::format("num_layers {}", *run.config.num_layers.value);
  if (first) text += fmt::format(" - decoder_first_pipeline_num_layers {}", *first);
  if (last) text += fmt::format(" - decoder_last_pipeline_num_layers {}", *last);
  const Int layers = *run.config.num_layers.value - first.value_or(0) - last.value_or(0);
  const Int ranks = run.pp() - (first ? 1 : 0) - (last ? 1 : 0);
  m.because("{} = {} layers for {}", text, layers, counted(ranks, "other rank"));
}

/// The key of the end that a file sets: first when both are.
MaybeCount MegatronConfig::*set_end_key(const MegatronRun& run) {
  return run.config.decoder_first_pipeline_num_layers.value ? &MegatronConfig::decoder_first_pipeline_num_layers
                                                            : &MegatronConfig::decoder_last_pipeline_num_layers;
}

const MaybeCount& set_end(const MegatronRun& run) { return run.config.*set_end_key(run); }

void also_other_end(Message& m, const MegatronRun& run) {
  if (run.config.decoder_first_pipeline_num_layers.value) {
    m.also(run.config.decoder_last_pipeline_num_layers, "decoder_last_pipeline_num_layers set here");
  }
}

void uneven_with_slots(const MegatronRun& run, Findings& out) {
  if (!has_uneven_ends(run) || !has_slots(run) || has_hybrid_pattern(run)) return;
  const Flag& slot = *run.config.account_for_loss_in_pipeline_split
                         ? run.config.account_for_loss_in_pipeline_split
                         : run.config.account_for_embedding_in_pipeline_split;
  out.add(set_end(run), [&](Message& m) {
    m.say("{} {} and {}: two ways to make room at the ends of the pipeline", set_end(run).key, *set_end(run).value,
          slot.key);
    m.also(slot, fmt::format("{} set here", slot.key));
    m.help("keep one: fewer layers on an end, or a slot for embedding or loss");
    m.fix(fmt::format("turn {} off", slot.key), slot, "false");
  });
}

void end_not_positive(const MegatronRun& run, Findings& out) {
  for (const MaybeCount* end :
       {&run.config.decoder_first_pipeline_num_layers, &run.config.decoder_last_pipeline_num_layers}) {
    if (!end->value || *end->value > 0) continue;
    out.add(*end, [&](Message& m) {
      m.say("{} is {}: the stage holds 1 layer or more", end->key, *end->value);
      m.help("null splits the layers evenly; pipeline_model_parallel_layout can leave a stage without layers");
      m.fix(fmt::format("set {} to null", end->key), *end, "null");
    });
  }
}

void middle_mismatch(const MegatronRun& run, Findings& out) {
  if (!split_fails(run, Kind::middle_mismatch)) return;
  const LayerFault& fault = *run.split.fault;
  out.add(set_end(run), [&](Message& m) {
    if (fault.b == 0) {
      m.say("{} left over and no pipeline rank is there to hold {}",
            fault.a == 1 ? "1 layer is" : fmt::format("{} layers are", fault.a), fault.a == 1 ? "it" : "them");
    } else {
      m.say("no layer is left for {}", counted(fault.b, "middle pipeline rank"));
    }
    because_of_middle(m, run);
    also_other_end(m, run);
    if (run.pp() == 1) {
      m.help("with PP 1, take {} out", set_end(run).key);
    } else if (fault.b == 0) {
      m.help("with PP 2 and both ends set, their sum must be num_layers {}", *run.config.num_layers.value);
    } else {
      m.help("lower the ends, or pipeline_model_parallel_size");
    }
  });
}

void middle_not_divisible(const MegatronRun& run, Findings& out) {
  if (!split_fails(run, Kind::middle_not_divisible)) return;
  const LayerFault& fault = *run.split.fault;
  out.add(set_end(run), [&](Message& m) {
    m.say("{} layers do not split evenly over {} middle pipeline ranks", fault.a, fault.b);
    because_of_middle(m, run);
    also_other_end(m, run);
    const Int end = *set_end(run).value;
    const Int rest = fault.a + end;  // what the end and the middle share
    const Int lower = end - floor_remainder(end - rest, fault.b);
    std::vector<Int> ends;
    for (const Int other : {lower, lower + fault.b}) {
      if (other >= 1 && other <= rest - fault.b) ends.push_back(other);
    }
    for (const Int other : legal_among(run, set_end_key(run), ends)) {
      m.help("{}: {} leaves a multiple of {}", set_end(run).key, other, fault.b);
    }
  });
}

void not_divisible_by_virtual(const MegatronRun& run, Findings& out) {
  if (!run.split.fault) return;
  const LayerFault& fault = *run.split.fault;
  const MegatronConfig& config = run.config;
  const bool middle = fault.kind == Kind::middle_not_divisible_by_virtual;
  const bool first = fault.kind == Kind::first_not_divisible_by_virtual;
  if (!middle && !first && fault.kind != Kind::last_not_divisible_by_virtual) return;
  const auto end_key =
      first ? &MegatronConfig::decoder_first_pipeline_num_layers : &MegatronConfig::decoder_last_pipeline_num_layers;
  const MaybeCount& end = config.*end_key;
  out.add(middle ? config.num_virtual_stages_per_pipeline_rank : end, [&](Message& m) {
    if (middle) {
      m.say("{} layers of each middle pipeline rank do not split into {} model chunks", fault.a, fault.b);
      because_of_middle(m, run);
    } else {
      m.say("{} {} does not split into {} model chunks", end.key, fault.a, fault.b);
      m.also(config.num_virtual_stages_per_pipeline_rank, "num_virtual_stages_per_pipeline_rank set here");
      help_with_nearest(m, nearest_legal(run, end_key, fault.a, fault.b));
    }
    m.help("every rank's layers are cut into num_virtual_stages_per_pipeline_rank equal chunks");
  });
}

void layers_lost(const MegatronRun& run, Findings& out) {
  if (!split_fails(run, Kind::layers_lost)) return;
  if (run.pp() == 1 && run.interleaved()) return;  // refused before layers are counted: interleaving needs stages
  const LayerFault& fault = *run.split.fault;
  out.add(has_uneven_ends(run) ? set_end(run) : run.config.num_layers, [&](Message& m) {
    m.say("the pipeline stages hold {} layers, but num_layers is {}: no check notices", fault.a, fault.b);
    if (has_uneven_ends(run)) {
      because_of_middle(m, run);
      also_other_end(m, run);
    }
    if (run.pp() == 1) {
      m.help("with PP 1, take decoder_first_pipeline_num_layers and decoder_last_pipeline_num_layers out");
    } else {
      m.help("the two ends together must leave a layer for each middle rank");
    }
  });
}

void no_middle_for_chunks(const MegatronRun& run, Findings& out) {
  if (!split_fails(run, Kind::no_middle_for_interleaving)) return;
  out.add(run.config.num_virtual_stages_per_pipeline_rank, [&](Message& m) {
    m.say("{} model chunks a rank with PP 2 and both ends set: no middle rank is left to divide by",
          run.split.fault->b);
    also_uneven_ends(m, run);
    m.help("set only one of decoder_first_pipeline_num_layers and decoder_last_pipeline_num_layers");
    m.help("or write the chunks as a pipeline_model_parallel_layout");
  });
}

void last_alone_with_chunks(const MegatronRun& run, Findings& out) {
  const MaybeCount& last = run.config.decoder_last_pipeline_num_layers;
  const bool chunks = run.interleaved() && virtual_size_is_settled(run);
  if (!last.value || run.config.decoder_first_pipeline_num_layers.value || !chunks || run.split.fault) return;
  out.add(last, [&](Message& m) {
    m.say(
        "decoder_last_pipeline_num_layers {} with {} model chunks a rank and no first count: older Megatron releases "
        "number the layers wrongly",
        *last.value, *run.virtual_pipeline);
    m.because("the pinned release places them right; a checkpoint of an older one holds them in other places");
    m.also(run.config.num_virtual_stages_per_pipeline_rank, "num_virtual_stages_per_pipeline_rank set here");
    m.help("a pipeline_model_parallel_layout says the same split in every release");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG310",
      .name = "uneven-ends-with-slots",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "First and last layer counts do not go with slots for embedding and loss.",
      .explanation = "decoder_first/last_pipeline_num_layers say how many layers the ends hold. "
                     "account_for_embedding/loss_in_pipeline_split say that embedding and loss take the room of one "
                     "layer. Both balance the same stages, and Megatron takes one.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 22\npipeline_model_parallel_size: 4\ndecoder_last_pipeline_num_layers: 4\n"
                      "account_for_loss_in_pipeline_split: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 22\npipeline_model_parallel_size: 4\ndecoder_last_pipeline_num_layers: 4\n"}},
     uneven_with_slots},
    {{.id = "MG311",
      .name = "uneven-end-not-positive",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "decoder_first_pipeline_num_layers and decoder_last_pipeline_num_layers are 1 or more.",
      .explanation = "An end without layers cannot be asked for this way. Use a layout with an empty stage.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\ndecoder_last_pipeline_num_layers: 0\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\ndecoder_last_pipeline_num_layers: 3\n"}},
     end_not_positive},
    {{.id = "MG312",
      .name = "uneven-middle-mismatch",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "Layers are left over exactly when middle pipeline ranks are.",
      .explanation =
          "What first and last do not take goes to the other ranks. With PP 2 and both set there is no other "
          "rank: first + last must be num_layers.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\ndecoder_first_pipeline_num_layers: 10\n"
                      "decoder_last_pipeline_num_layers: 13\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\ndecoder_first_pipeline_num_layers: 10\n"
                       "decoder_last_pipeline_num_layers: 14\n"}},
     middle_mismatch},
    {{.id = "MG313",
      .name = "uneven-middle-not-divisible",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "Layers that the ends leave split evenly over the other ranks.",
      .explanation = "num_layers - first - last must be a multiple of the number of ranks whose count is not given.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 78\npipeline_model_parallel_size: 8\ndecoder_last_pipeline_num_layers: 9\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 78\npipeline_model_parallel_size: 8\ndecoder_last_pipeline_num_layers: 8\n"}},
     middle_not_divisible},
    {{.id = "MG314",
      .name = "uneven-ends-with-virtual-stages",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "The layers of first, last and middle ranks each split into the model chunks.",
      .explanation = "With num_virtual_stages_per_pipeline_rank every rank cuts its own layers into equal chunks, the "
                     "uneven ends too.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 20\npipeline_model_parallel_size: 4\ndecoder_first_pipeline_num_layers: 3\n"
                      "decoder_last_pipeline_num_layers: 5\nnum_virtual_stages_per_pipeline_rank: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 20\npipeline_model_parallel_size: 4\ndecoder_first_pipeline_num_layers: 4\n"
                       "decoder_last_pipeline_num_layers: 4\nnum_virtual_stages_per_pipeline_rank: 2\n"}},
     not_divisible_by_virtual},
    {{.id = "MG315",
      .name = "layers-lost",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/transformer_block.py:get_num_layers_to_build",
      .outcome = "Megatron trains a model with another number of layers and says nothing",
      .summary = "The stages together hold num_layers layers.",
      .explanation = "Megatron never adds up what the stages hold. Ends that ask for more than num_layers leave the "
                     "middle ranks with a negative share, which is built as none; PP 1 with both ends set builds the "
                     "last end alone. The checkpoint then holds a model that nobody asked for.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\ndecoder_first_pipeline_num_layers: 14\n"
                      "decoder_last_pipeline_num_layers: 14\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\ndecoder_first_pipeline_num_layers: 4\n"
                       "decoder_last_pipeline_num_layers: 4\n"}},
     layers_lost},
    {{.id = "MG316",
      .name = "two-uneven-ends-with-virtual-stages",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/transformer_layer.py:get_transformer_layer_offset",
      .outcome = "Megatron divides by the number of middle ranks, which is 0 (ZeroDivisionError)",
      .summary = "Interleaving with both ends set needs a middle rank.",
      .explanation =
          "The first layer of a chunk is found by dividing what the middle ranks hold by their number. With PP "
          "2 and both ends set there is none.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\ndecoder_first_pipeline_num_layers: 10\n"
                      "decoder_last_pipeline_num_layers: 14\nnum_virtual_stages_per_pipeline_rank: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\ndecoder_first_pipeline_num_layers: 10\n"
                       "num_virtual_stages_per_pipeline_rank: 2\n"}},
     no_middle_for_chunks},
    {{.id = "MG337",
      .name = "uneven-last-with-virtual-stages",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = "",
      .outcome = "",
      .summary = "An uneven last stage alone, with model chunks, is numbered differently by older releases.",
      .explanation = "Until the middle of 2025 get_transformer_layer_offset took for granted that the first stage has "
                     "a count of its own too (Megatron-LM issue 1584). The pinned release does not, but checkpoints "
                     "and other code bases may.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 30\npipeline_model_parallel_size: 4\ndecoder_last_pipeline_num_layers: 6\n"
                      "num_virtual_stages_per_pipeline_rank: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 30\npipeline_model_parallel_size: 4\n"
                       "pipeline_model_parallel_layout: \"Et*4|t*4|t*4|t*3|t*4|t*4|t*4|t*3L\"\n"}},
     last_alone_with_chunks},
};

}  // namespace

RuleList uneven_split_rules() { return rules; }

}  // namespace primus_plan::megatron
