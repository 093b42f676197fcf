#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "primus_plan/support/number.h"

// What FP8 asks of the layers it is for.

namespace primus_plan::megatron {
namespace {

/// Megatron's own layers, of Transformer Engine or not.
bool has_fp8_layers(const MegatronRun& run) { return is_set(run.config.fp8) && *run.config.model_type == "gpt"; }

bool turbo_linear(const MegatronRun& run) { return *run.config.enable_primus_turbo && *run.config.use_turbo_gemm; }

void fp8_without_engine(const MegatronRun& run, Findings& out) {
  if (!has_fp8_layers(run) || *run.config.transformer_impl != "local") return;
  out.add(run.config.fp8, [&](Message& m) {
    m.say("fp8 {} has no effect: the layers of transformer_impl local compute in the type of the parameters",
          *run.config.fp8);
    m.also(run.config.transformer_impl);
    m.help("transformer_impl: transformer_engine; or fp8: null");
    m.fix("use Transformer Engine", run.config.transformer_impl, "transformer_engine");
  });
}

/// Source: transformer_engine/pytorch/utils.py:assert_dim_for_fp8_exec. The rows of a layer's input are the tokens of
/// one micro-batch that a rank holds: split by CP, and by TP too under sequence parallelism.
void fp8_rows_uneven(const MegatronRun& run, Findings& out) {
  constexpr Int rows_step = 8;
  if (!has_fp8_layers(run) || *run.config.transformer_impl != "transformer_engine" || turbo_linear(run)) return;
  const bool splits = *run.config.sequence_parallel;
  const Int parts = saturating_multiply(run.cp(), splits ? run.tp() : 1);
  const Int length = run.batch.sequence_length;
  if (parts < 1 || length < 1 || length % parts != 0 || run.batch.micro < 1) return;
  const Int rows = saturating_multiply(length / parts, run.batch.micro);
  if (rows % rows_step == 0) return;
  out.add(run.config.seq_length, [&](Message& m) {
    m.say("fp8 needs a multiple of 8 tokens a rank, but seq_length x micro_batch_size / CP{} = {} x {} / {} = {}",
          splits ? " / TP" : "", length, run.batch.micro, parts, rows);
    m.also(run.config.fp8).also(run.config.micro_batch_size);
    m.help("a seq_length that is a multiple of {} always does", saturating_multiply(rows_step, parts));
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG740",
      .name = "fp8-without-transformer-engine",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/fp8_utils.py:get_fp8_context",
      .outcome = "the run goes on in the type of the parameters",
      .summary = "fp8 needs transformer_impl transformer_engine.",
      .explanation = "FP8 is what Transformer Engine's layers do inside its context. Megatron's own layers enter the "
                     "context and do not look.",
      .bad = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\ntransformer_impl: local\n"},
      .good = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\ntransformer_impl: transformer_engine\n"}},
     fp8_without_engine},
    {{.id = "MG743",
      .name = "fp8-tokens-uneven",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "transformer_engine/pytorch/utils.py:assert_dim_for_fp8_exec",
      .outcome = "Transformer Engine stops in the first step (AssertionError)",
      .summary = "With fp8 a rank holds a multiple of 8 tokens of each micro-batch.",
      .explanation =
          "FP8 matrix products take inputs whose rows are a multiple of 8 and whose columns are one of 16. "
          "The rows are seq_length x micro_batch_size, divided by CP, and by TP too under sequence_parallel.",
      .bad = {.world_size = 8,
              .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\nseq_length: 1001\nmax_position_embeddings: 2048\n"
                      "micro_batch_size: 1\n"},
      .good = {.world_size = 8,
               .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\nseq_length: 1000\nmax_position_embeddings: 2048\n"
                       "micro_batch_size: 1\n"}},
     fp8_rows_uneven},
};

}  // namespace

RuleList fp8_layer_rules() { return rules; }

}  // namespace primus_plan::megatron
