#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* calculator = "megatron/core/num_microbatches_calculator.py:__init__";
constexpr const char* validate_args = "megatron/training/arguments.py:validate_args";

void micro_batch_not_positive(const MegatronRun& run, Findings& out) {
  const MaybeCount& micro = run.config.micro_batch_size;
  if (micro.value && *micro.value > 0) return;
  out.add(micro, [&](Message& m) {
    if (micro.value) {
      m.say("micro_batch_size is {}: each data-parallel rank takes 1 sample or more at once", *micro.value);
    } else {
      m.say("micro_batch_size is null: Megatron has no default for it");
    }
    m.help("start with 1 or 2 and raise it while memory allows");
    m.fix("set micro_batch_size to 1", micro, "1");
  });
}

void global_batch_not_positive(const MegatronRun& run, Findings& out) {
  const MaybeCount& global = run.config.global_batch_size;
  if (!run.given.global_batch_size.value || *run.given.global_batch_size.value > 0) return;
  out.add(global, [&](Message& m) {
    m.say("global_batch_size is {}: a step takes 1 sample or more", *run.given.global_batch_size.value);
    m.help("null means micro_batch_size x DP, one micro-batch a step");
  });
}

void global_batch_not_divisible(const MegatronRun& run, Findings& out) {
  if (run.dp() <= 0 || run.batch.micro <= 0 || run.batch.global <= 0) return;
  if (*run.config.decrease_batch_size_if_needed || run.config.rampup_batch_size.value != nullptr) return;
  const Int per_step = run.batch.micro * run.dp();
  if (run.batch.global % per_step == 0) return;
  out.add(run.config.global_batch_size, [&](Message& m) {
    m.say("global_batch_size {} is not a multiple of micro_batch_size x DP = {} x {} = {}", run.batch.global,
          run.batch.micro, run.dp(), per_step);
    m.also(run.config.micro_batch_size, "micro_batch_size set here");
    because_of_dp(m, run);
    m.help("nearest legal values: {}", nearest_text(run.batch.global, per_step));
    const Int above = (run.batch.global / per_step + 1) * per_step;
    m.fix(fmt::format("set global_batch_size to {}", above), run.config.global_batch_size, fmt::format("{}", above));
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG201",
      .name = "micro-batch-not-positive",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "micro_batch_size is set and positive.",
      .explanation = "Each data-parallel rank takes micro_batch_size samples through the model at once. There is no "
                     "default to fall back on.",
      .bad = {.world_size = 8, .yaml = "micro_batch_size: 0\n"},
      .good = {.world_size = 8, .yaml = "micro_batch_size: 1\n"}},
     micro_batch_not_positive},
    {{.id = "MG202",
      .name = "global-batch-not-positive",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "global_batch_size is null or positive.",
      .explanation = "null makes it micro_batch_size x DP, so that a step is one micro-batch on each rank. A number "
                     "must be positive.",
      .bad = {.world_size = 8, .yaml = "global_batch_size: 0\n"},
      .good = {.world_size = 8, .yaml = "global_batch_size: null\n"}},
     global_batch_not_positive},
    {{.id = "MG203",
      .name = "global-batch-not-divisible",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = calculator,
      .outcome = "Megatron stops when it computes the number of micro-batches (AssertionError)",
      .summary = "The global batch must split evenly into micro-batches over the data-parallel ranks.",
      .explanation = "There is no key for gradient accumulation: Megatron takes global_batch_size / (micro_batch_size "
                     "x DP) and wants it whole.\n"
                     "DP = world / (TP x PP x CP); expert parallelism does not divide it. Take a multiple of "
                     "micro_batch_size x DP, change\n"
                     "micro_batch_size, or set decrease_batch_size_if_needed to let Megatron round the batch down.",
      .bad = {.world_size = 16, .yaml = "micro_batch_size: 2\nglobal_batch_size: 100\n"},
      .good = {.world_size = 16, .yaml = "micro_batch_size: 2\nglobal_batch_size: 96\n"}},
     global_batch_not_divisible},
};

}  // namespace

RuleList batch_rules() { return rules; }

}  // namespace primus_plan::megatron
