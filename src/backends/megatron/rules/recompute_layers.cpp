#include <algorithm>
#include <numeric>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* checkpointed_forward = "megatron/core/transformer/transformer_block.py:_checkpointed_forward";
constexpr const char* mtp_forward = "megatron/core/transformer/multi_token_prediction.py:_checkpointed_forward";

/// Layers of the fullest model chunk; 0 when the layers cannot be placed.
Int most_layers(const MegatronRun& run) {
  Int most = 0;
  for (const auto& rank : run.split.stages) {
    for (const StageChunk& chunk : rank) most = std::max(most, chunk.layers);
  }
  return most;
}

/// What divides the layers of every model chunk.
Int common_divisor(const MegatronRun& run) {
  Int common = 0;
  for (const auto& rank : run.split.stages) {
    for (const StageChunk& chunk : rank) common = std::gcd(common, chunk.layers);
  }
  return common;
}

struct Place {
  std::size_t rank = 0, chunk = 0;
  Int layers = 0;
};

Place first_uneven_chunk(const MegatronRun& run, Int group) {
  const auto& stages = run.split.stages;
  for (std::size_t rank = 0; rank < stages.size(); ++rank) {
    for (std::size_t chunk = 0; chunk < stages[rank].size(); ++chunk) {
      if (stages[rank][chunk].layers % group != 0) return {rank, chunk, stages[rank][chunk].layers};
    }
  }
  return {};
}

Int largest_divisor_up_to(Int number, Int limit) {
  Int divisor = std::min(number, limit);
  while (divisor > 1 && number % divisor != 0) --divisor;
  return std::max<Int>(divisor, 1);
}

void uniform_not_positive(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.config.recompute_num_layers;
  if (!recomputes_by_count(run, "uniform") || *layers.value >= 1) return;
  out.add(layers, [&](Message& m) {
    m.say("recompute_num_layers is {}: with recompute_method uniform the first forward pass never ends", *layers.value);
    m.because("layers are taken in groups of recompute_num_layers; a group of {} never gets to the last layer",
              *layers.value);
    m.help("recompute_num_layers: 1 recomputes every layer; recompute_granularity: null switches recompute off");
    m.fix("set recompute_num_layers to 1", layers, "1");
  });
}

void uniform_not_divisor(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.config.recompute_num_layers;
  if (!recomputes_by_count(run, "uniform") || *layers.value < 1 || run.split.stages.empty()) return;
  const Int common = common_divisor(run);
  if (common % *layers.value == 0) return;
  out.add(layers, [&](Message& m) {
    const Place place = first_uneven_chunk(run, *layers.value);
    m.say(
        "recompute_num_layers {} does not divide the {} layers of pipeline rank {}{}: the last group reaches past them",
        *layers.value, place.layers, place.rank, run.interleaved() ? fmt::format(", chunk {}", place.chunk) : "");
    const Int nearest = largest_divisor_up_to(common, *layers.value);
    m.help("with recompute_method uniform the number divides the layers of every model chunk: {} does", nearest);
    m.help("recompute_method: block takes any number");
    m.fix(fmt::format("set recompute_num_layers to {}", nearest), layers, fmt::format("{}", nearest));
  });
}

void block_out_of_range(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.config.recompute_num_layers;
  if (!recomputes_by_count(run, "block")) return;
  const Int most = most_layers(run);
  // The number of all layers of the model is a common way to say "all": it does what it says.
  const bool too_many = most > 0 && *layers.value > most && layers.value != run.config.num_layers.value;
  if (*layers.value >= 0 && !too_many) return;
  out.add(layers, [&](Message& m) {
    if (*layers.value < 0) {
      m.say("recompute_num_layers is {}: nothing is recomputed although recompute_granularity is full", *layers.value);
    } else {
      m.say("recompute_num_layers {} is more than the {} layers of the fullest model chunk: every layer is recomputed",
            *layers.value, most);
      m.because("recompute_method block counts the layers of each model chunk ({}), not of the model",
                run.interleaved() ? "pipeline rank and virtual stage" : "pipeline rank");
    }
    m.help("0 to {} layers of each chunk can be recomputed", most);
    m.fix(fmt::format("set recompute_num_layers to {}", *layers.value < 0 ? 0 : most), layers,
          fmt::format("{}", *layers.value < 0 ? 0 : most));
  });
}

void distribute_not_possible(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.distribute_saved_activations) return;
  const bool full = *run.given.recompute_granularity == "full" && !*run.given.recompute_activations;
  const bool method = config.recompute_method.value.data() != nullptr;
  if (run.tp() > 1 && full && method) return;
  out.add(config.distribute_saved_activations, [&](Message& m) {
    if (run.tp() <= 1) {
      m.say("distribute_saved_activations spreads saved activations over the tensor-parallel ranks, but TP is {}",
            run.tp());
    } else if (!full) {
      m.say("distribute_saved_activations needs recompute_granularity full");
    } else {
      m.say("distribute_saved_activations needs a recompute_method");
    }
    if (picks_recompute_layers(run))
      m.because("recompute_layer_ids allows no recompute_method, so the two never go together");
    m.also(config.tensor_model_parallel_size).also(config.recompute_granularity);
    m.help("it needs TP of 2 or more, recompute_granularity: full, a recompute_method, and sequence_parallel: false");
    m.fix("switch distribute_saved_activations off", config.distribute_saved_activations, "false");
  });
}

void distribute_with_sequence_parallel(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.distribute_saved_activations || !*config.sequence_parallel || checked_granularity(run) != "full") return;
  out.add(config.distribute_saved_activations, [&](Message& m) {
    m.say(
        "distribute_saved_activations does not go with sequence_parallel, which splits the same activations over the "
        "same ranks");
    m.also(config.sequence_parallel, "sequence_parallel is on");
    m.help("keep sequence_parallel (it saves more) and drop distribute_saved_activations");
    m.fix("switch distribute_saved_activations off", config.distribute_saved_activations, "false");
  });
}

void mtp_uniform(const MegatronRun& run, Findings& out) {
  if (run.config.mtp_num_layers.value.value_or(0) < 1 || !recomputes_by_count(run, "uniform")) return;
  const MaybeCount& layers = run.config.recompute_num_layers;
  if (*layers.value <= 1) return;
  out.add(layers, [&](Message& m) {
    m.say("recompute_num_layers {} does not go with multi-token prediction: its layers are recomputed one by one",
          *layers.value);
    m.also(run.config.mtp_num_layers);
    m.help("with mtp_num_layers and recompute_method uniform, recompute_num_layers is 1");
    m.fix("set recompute_num_layers to 1", layers, "1");
  });
}

void mtp_block(const MegatronRun& run, Findings& out) {
  if (run.config.mtp_num_layers.value.value_or(0) < 1 || !recomputes_by_count(run, "block")) return;
  if (*run.config.recompute_num_layers.value < 1) return;
  out.add(run.config.recompute_method, [&](Message& m) {
    m.say("recompute_method block does not recompute the {} multi-token-prediction layer(s)",
          *run.config.mtp_num_layers.value);
    m.also(run.config.mtp_num_layers);
    m.help(
        "the last stage keeps their activations; recompute_method: uniform with recompute_num_layers: 1 recomputes "
        "them too");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG708",
      .name = "uniform-recompute-not-positive",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = checkpointed_forward,
      .outcome = "Megatron hangs in the first forward pass (endless loop)",
      .summary = "With recompute_method uniform, recompute_num_layers is 1 or more.",
      .explanation = "uniform walks over the layers in steps of recompute_num_layers. A step of 0 never advances, and "
                     "nothing checks it.",
      .bad = {.world_size = 8,
              .yaml = "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 0\n"},
      .good = {.world_size = 8,
               .yaml = "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 1\n"}},
     uniform_not_positive},
    {{.id = "MG709",
      .name = "uniform-recompute-not-divisor",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = checkpointed_forward,
      .outcome = "Megatron stops in the first forward pass (IndexError)",
      .summary = "With recompute_method uniform, recompute_num_layers divides the layers of every model chunk.",
      .explanation = "uniform takes the layers of a model chunk in groups of recompute_num_layers and does not shorten "
                     "the last group. Every chunk (each pipeline rank, each virtual stage) has to hold a multiple. 1 "
                     "always works; block takes any number.",
      .bad = {.world_size = 8,
              .yaml =
                  "num_layers: 24\nrecompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 5\n"},
      .good =
          {.world_size = 8,
           .yaml =
               "num_layers: 24\nrecompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 6\n"}},
     uniform_not_divisor},
    {{.id = "MG710",
      .name = "block-recompute-out-of-range",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = checkpointed_forward,
      .outcome = "Megatron recomputes all layers of a chunk, or none",
      .summary = "With recompute_method block, recompute_num_layers counts the layers of a model chunk.",
      .explanation = "block recomputes the first recompute_num_layers layers of each model chunk: of each pipeline "
                     "rank, or of each virtual stage when the schedule is interleaved. Nothing checks the number. More "
                     "than a chunk holds means all, 0 or less means none. With fp8 or fp4 the window starts at the "
                     "first layer whose input needs a gradient.",
      .bad = {.world_size = 8,
              .yaml =
                  "num_layers: 24\nrecompute_granularity: full\nrecompute_method: block\nrecompute_num_layers: 100\n"},
      .good = {.world_size = 8,
               .yaml =
                   "num_layers: 24\nrecompute_granularity: full\nrecompute_method: block\nrecompute_num_layers: 12\n"}},
     block_out_of_range},
    {{.id = "MG711",
      .name = "distribute-saved-activations-not-possible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "distribute_saved_activations needs TP of 2 or more and full recompute with a method.",
      .explanation = "The saved inputs of recomputed layers are cut into one piece for each tensor-parallel rank. That "
                     "needs TP of 2 or more, recompute_granularity: full and a recompute_method. It excludes "
                     "sequence_parallel, which does the same and more.",
      .bad = {.world_size = 8, .yaml = "distribute_saved_activations: true\n"},
      .good = {.world_size = 8,
               .yaml = "distribute_saved_activations: true\ntensor_model_parallel_size: 2\nsequence_parallel: false\n"
                       "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 1\n"}},
     distribute_not_possible},
    {{.id = "MG712",
      .name = "distribute-saved-activations-with-sequence-parallel",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "distribute_saved_activations and sequence_parallel exclude each other.",
      .explanation = "Sequence parallelism already splits the activations between layers over the tensor-parallel "
                     "ranks. The Primus presets switch it on whenever TP is 2 or more.",
      .bad = {.world_size = 8,
              .yaml = "distribute_saved_activations: true\ntensor_model_parallel_size: 2\nsequence_parallel: true\n"
                      "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 1\n"},
      .good = {.world_size = 8,
               .yaml = "distribute_saved_activations: true\ntensor_model_parallel_size: 2\nsequence_parallel: false\n"
                       "recompute_granularity: full\nrecompute_method: uniform\nrecompute_num_layers: 1\n"}},
     distribute_with_sequence_parallel},
    {{.id = "MG720",
      .name = "mtp-uniform-recompute",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = mtp_forward,
      .outcome = "Megatron stops in the first forward pass (AssertionError)",
      .summary = "With multi-token prediction and uniform recompute, recompute_num_layers is 1.",
      .explanation = "Each multi-token-prediction layer is a checkpoint of its own; larger groups are refused on the "
                     "first forward pass.",
      .bad = {.world_size = 8,
              .yaml = "mtp_num_layers: 1\nposition_embedding_type: rope\nrecompute_granularity: "
                      "full\nrecompute_method: uniform\n"
                      "recompute_num_layers: 2\n"},
      .good = {.world_size = 8,
               .yaml = "mtp_num_layers: 1\nposition_embedding_type: rope\nrecompute_granularity: "
                       "full\nrecompute_method: uniform\n"
                       "recompute_num_layers: 1\n"}},
     mtp_uniform},
    {{.id = "MG721",
      .name = "mtp-block-recompute",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = mtp_forward,
      .outcome = "Megatron warns and keeps the activations of the multi-token-prediction layers",
      .summary = "recompute_method block leaves multi-token-prediction layers out.",
      .explanation = "block counts decoder layers only. The multi-token-prediction layers on the last stage keep their "
                     "activations, so that stage needs more memory than the numbers suggest. uniform with "
                     "recompute_num_layers: 1 covers them.",
      .bad = {.world_size = 8,
              .yaml = "mtp_num_layers: 1\nposition_embedding_type: rope\nrecompute_granularity: "
                      "full\nrecompute_method: block\n"
                      "recompute_num_layers: 2\n"},
      .good = {.world_size = 8,
               .yaml = "mtp_num_layers: 1\nposition_embedding_type: rope\nrecompute_granularity: "
                       "full\nrecompute_method: uniform\n"
                       "recompute_num_layers: 1\n"}},
     mtp_block},
};

}  // namespace

RuleList recompute_layer_rules() { return rules; }

}  // namespace primus_plan::megatron
