#include "backends/megatron/rules/dimensions.h"
#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

void sequence_length_missing(const MegatronRun& run, Findings& out) {
  const MaybeCount& decoder = run.given.seq_length;
  const MaybeCount& encoder = run.given.encoder_seq_length;
  if (decoder.value.has_value() != encoder.value.has_value()) return;
  const MaybeCount& where = encoder.value ? encoder : decoder;
  out.add(where, [&](Message& m) {
    if (encoder.value) {
      m.say("seq_length {} and encoder_seq_length {} are both set: Megatron takes one", *decoder.value, *encoder.value);
      m.help("keep seq_length");
    } else {
      m.say("seq_length is null: Megatron has no default for it");
      m.help("set seq_length to the tokens of one sample");
    }
  });
}

void sequence_not_positive(const MegatronRun& run, Findings& out) {
  const MaybeCount& decoder = run.given.seq_length;
  const MaybeCount& encoder = run.given.encoder_seq_length;
  const MaybeCount& given = decoder.value ? decoder : encoder;
  if (decoder.value.has_value() == encoder.value.has_value() || *given.value >= 1) return;
  out.add(given, [&](Message& m) {
    m.say("{} is {}: a sample has 1 token or more", given.key, *given.value);
    m.help("set it to the tokens of one sample");
  });
}

void required_dimension(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  for (const MaybeCount* field :
       {&config.hidden_size, &config.num_attention_heads, &config.max_position_embeddings}) {  // num_layers: MG327
    if (field->value) continue;
    out.add(*field, [&](Message& m) {
      m.say("{} is null, but Megatron needs it", field->key);
      if (field == &config.max_position_embeddings) {
        m.because("Primus's language_model.yaml leaves it null: every model preset or experiment supplies it");
        m.help("set it to seq_length or more");
      }
    });
  }
}

void positions_below_sequence(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const auto positions = config.max_position_embeddings.value;
  if (!positions) return;
  for (const MaybeCount* length : {&config.seq_length, &config.decoder_seq_length}) {
    if (!length->value || *length->value <= *positions) continue;
    out.add(*length, [&](Message& m) {
      m.say("{} {} is above max_position_embeddings {}", length->key, *length->value, *positions);
      m.also(config.max_position_embeddings, "the limit is set here");
      m.because("Megatron checks this for rotary embeddings too");
      m.help("set max_position_embeddings to {} or more", *length->value);
      m.fix(fmt::format("set max_position_embeddings to {}", *length->value), config.max_position_embeddings,
            fmt::format("{}", *length->value));
    });
  }
}

/// The multiples of `step` next to seq_length that the other rules about it take too. None while TP or the degrees
/// together are wrong themselves: seq_length is then not what has to change.
void offer_lengths(Message& m, const MegatronRun& run, Int step) {
  if (run.dp() < 1 || !tensor_fits_model(run)) return;
  const Int sequence = run.batch.sequence_length;
  const std::vector<Int> legal = nearest_legal(run, &MegatronConfig::seq_length, sequence, step);
  help_with_nearest(m, legal);
  fix_to_nearest(m, run.config.seq_length, sequence, legal);
}

void sequence_not_divisible_by_context(const MegatronRun& run, Findings& out) {
  const Int sequence = run.batch.sequence_length;
  const Int chunks = saturating_multiply(2, run.cp());
  if (run.cp() <= 1 || sequence <= 0 || sequence % chunks == 0) return;
  out.add(run.config.seq_length, [&](Message& m) {
    m.say("seq_length {} is not a multiple of 2 x CP = 2 x {} = {}", sequence, run.cp(), chunks);
    m.also(run.config.context_parallel_size);
    m.because("each rank takes one chunk from the front and one from the back, to balance causal attention");
    offer_lengths(m, run, chunks);
  });
}

void sequence_not_divisible_by_tensor(const MegatronRun& run, Findings& out) {
  const Int sequence = run.batch.sequence_length;
  if (!*run.config.sequence_parallel || run.tp() <= 1 || run.cp() < 1 || sequence <= 0) return;
  if (run.cp() > 1 && sequence % saturating_multiply(2, run.cp()) != 0) return;  // the other rule's fault
  if (sequence / run.cp() % run.tp() == 0) return;
  out.add(run.config.seq_length, [&](Message& m) {
    m.say("seq_length / CP = {} / {} = {} tokens cannot be split over TP {} with sequence parallelism", sequence,
          run.cp(), sequence / run.cp(), run.tp());
    m.also(run.config.tensor_model_parallel_size).also(run.config.sequence_parallel, "sequence parallelism is on here");
    const Int step = least_common_multiple(saturating_multiply(run.tp(), run.cp()),
                                           run.cp() > 1 ? saturating_multiply(2, run.cp()) : 1)
                         .value_or(0);
    offer_lengths(m, run, step);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG601",
      .name = "sequence-length-missing",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Exactly one of seq_length and encoder_seq_length is set.",
      .explanation = "Megatron copies the one that is set to the other.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\n"
                      "encoder_seq_length: 1024\n"},
      .good = {.world_size = 8, .yaml = "seq_length: 1024\n"}},
     sequence_length_missing},
    {{.id = "MG606",
      .name = "sequence-length-not-positive",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/datasets/helpers.cpp:build_sample_idx",
      .outcome = "the dataset's index cannot be built",
      .summary = "seq_length is 1 or more.",
      .explanation = "No argument check looks at it: the run stops when the dataset is cut into samples, mock data "
                     "included.",
      .bad = {.world_size = 8, .yaml = "tensor_model_parallel_size: 1\nseq_length: 0\n"},
      .good = {.world_size = 8, .yaml = "tensor_model_parallel_size: 1\nseq_length: 1024\n"}},
     sequence_not_positive},
    {{.id = "MG602",
      .name = "dimension-missing",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "megatron/training/arguments.py:_check_arg_is_not_none",
      .outcome = "Megatron stops (AssertionError)",
      .summary = "num_layers, hidden_size, num_attention_heads and max_position_embeddings are set.",
      .explanation = "Primus's base model preset leaves max_position_embeddings null, so every model preset or "
                     "experiment has to supply it.",
      .bad = {.world_size = 8,
              .yaml = "tensor_model_parallel_size: 1\n"
                      "max_position_embeddings: null\n"},
      .good = {.world_size = 8,
               .yaml = "tensor_model_parallel_size: 1\n"
                       "max_position_embeddings: 4096\n"}},
     required_dimension},
    {{.id = "MG603",
      .name = "positions-below-sequence",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "max_position_embeddings is at least seq_length.",
      .explanation = "Megatron compares the two for every kind of position embedding, rotary ones included.",
      .bad = {.world_size = 8,
              .yaml = "seq_length: 8192\n"
                      "max_position_embeddings: 4096\n"},
      .good = {.world_size = 8,
               .yaml = "seq_length: 8192\n"
                       "max_position_embeddings: 8192\n"}},
     positions_below_sequence},
    {{.id = "MG604",
      .name = "sequence-not-divisible-by-context",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "With context parallelism, seq_length is a multiple of 2 x CP.",
      .explanation = "Each context-parallel rank takes two chunks of a sample, one from its front and one from its "
                     "back, so that causal attention costs every rank the same.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 4\n"
                      "seq_length: 4100\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 4\n"
                       "seq_length: 4096\n"}},
     sequence_not_divisible_by_context},
    {{.id = "MG605",
      .name = "sequence-not-divisible-by-tensor",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/tensor_parallel/mappings.py:_split_along_first_dim",
      .outcome = "the first forward pass stops (AssertionError)",
      .summary = "With sequence parallelism, seq_length / CP is a multiple of TP.",
      .explanation =
          "Nothing checks this at start-up: the first scatter over the sequence fails, after the model has been built.",
      .bad = {.world_size = 8,
              .yaml = "tensor_model_parallel_size: 4\n"
                      "sequence_parallel: true\n"
                      "seq_length: 1026\n"},
      .good = {.world_size = 8,
               .yaml = "tensor_model_parallel_size: 4\n"
                       "sequence_parallel: true\n"
                       "seq_length: 1024\n"}},
     sequence_not_divisible_by_tensor},
};

}  // namespace

RuleList sequence_rules() { return rules; }

}  // namespace primus_plan::megatron
