#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"
#include "support/product_text.h"

namespace primus_plan::megatron {
namespace {

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
  const MaybeCount& global = run.given.global_batch_size;
  if (!global.value || *global.value > 0) return;
  out.add(global, [&](Message& m) {
    m.say("global_batch_size is {}: a step takes 1 sample or more", *global.value);
    m.help("null means micro_batch_size x DP, one micro-batch a step");
    m.fix("set global_batch_size to null", global, "null");
  });
}

void global_batch_not_divisible(const MegatronRun& run, Findings& out) {
  const auto& fault = run.micro_batch_start.fault;
  if (!fault || fault->kind != MicrobatchFault::Kind::not_divisible) return;
  const Int global = fault->a;
  const Int per_step = fault->b;
  out.add(run.config.global_batch_size, [&](Message& m) {
    m.say("global_batch_size {} is not a multiple of micro_batch_size x DP = {} x {} = {}", global, run.batch.micro,
          run.dp(), product_text(per_step));
    m.also(run.config.micro_batch_size, "micro_batch_size set here");
    because_of_dp(m, run);
    const std::vector<Int> legal = nearest_legal(run, &MegatronConfig::global_batch_size, global, per_step);
    help_with_nearest(m, legal);
    fix_to_nearest(m, run.config.global_batch_size, global, legal);
  });
}

void batch_below_one_micro_batch(const MegatronRun& run, Findings& out) {
  const auto& fault = run.micro_batch_start.fault;
  if (!fault || fault->kind != MicrobatchFault::Kind::no_microbatch) return;
  out.add(run.config.global_batch_size, [&](Message& m) {
    m.say("global_batch_size {} is less than one micro-batch on every rank: micro_batch_size x DP = {} x {} = {}",
          run.batch.global, run.batch.micro, run.dp(), fault->b);
    because_of_dp(m, run);
    m.help("set global_batch_size to {} or more, or use fewer GPUs", fault->b);
    fix_to_nearest(m, run.config.global_batch_size, fault->b, {fault->b});
  });
}

void batch_rounded_down(const MegatronRun& run, Findings& out) {
  if (run.parsed.ramp_up || run.micro_batch_start.fault || run.batch.accumulation_steps == 0) return;
  const Microbatches& start = run.micro_batch_start.value;
  if (start.running == start.global) return;
  out.add(run.config.global_batch_size, [&](Message& m) {
    m.say(
        "each step takes {} samples, not global_batch_size {}: rounded down to a multiple of micro_batch_size x DP = "
        "{} x {}",
        start.running, start.global, run.batch.micro, run.dp());
    m.also(run.config.decrease_batch_size_if_needed, "rounding is on here");
    because_of_dp(m, run);
    m.because("the learning-rate schedule and train_samples still count {} samples a step", start.global);
    m.help("legal without rounding: {}",
           numbers_text(multiples_around(start.global, saturating_multiply(run.batch.micro, run.dp()))));
    fix_to_nearest(m, run.config.global_batch_size, start.running, {start.running});
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG201",
      .name = "micro-batch-not-positive",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
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
      .runtime_site = sites::validate_args,
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
      .runtime_site = sites::calculator,
      .outcome = "Megatron stops when it computes the number of micro-batches (AssertionError)",
      .summary = "The global batch must split evenly into micro-batches over the data-parallel ranks.",
      .explanation = "There is no key for gradient accumulation: Megatron takes global_batch_size / (micro_batch_size "
                     "x DP) and wants it whole. DP = world / (TP x PP x CP); expert parallelism does not divide it. "
                     "Take a multiple of micro_batch_size x DP, change micro_batch_size, or set "
                     "decrease_batch_size_if_needed to let Megatron round the batch down.",
      .bad = {.world_size = 16, .yaml = "micro_batch_size: 2\nglobal_batch_size: 100\n"},
      .good = {.world_size = 16, .yaml = "micro_batch_size: 2\nglobal_batch_size: 96\n"}},
     global_batch_not_divisible},
    {{.id = "MG204",
      .name = "batch-below-one-micro-batch",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::calculator,
      .outcome = "Megatron stops: the number of micro-batches would be 0 (AssertionError)",
      .summary = "A step has at least one micro-batch on every data-parallel rank.",
      .explanation = "decrease_batch_size_if_needed rounds the batch down to a multiple of micro_batch_size x DP. A "
                     "batch smaller than that rounds to 0 micro-batches, which Megatron refuses.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 4\nglobal_batch_size: 16\ndecrease_batch_size_if_needed: true\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 2\nglobal_batch_size: 16\ndecrease_batch_size_if_needed: true\n"}},
     batch_below_one_micro_batch},
    {{.id = "MG205",
      .name = "batch-rounded-down",
      .severity = Severity::warning,
      .stage = Stage::model_parallel,
      .runtime_site = sites::calculator,
      .outcome = "runs with a smaller batch than asked for",
      .summary = "decrease_batch_size_if_needed makes steps smaller than global_batch_size.",
      .explanation = "The running batch is rounded down to a multiple of micro_batch_size x DP while "
                     "args.global_batch_size keeps the nominal value, which the learning-rate schedule and the count "
                     "of samples go on using. Better to name a batch that divides.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 2\nglobal_batch_size: 24\ndecrease_batch_size_if_needed: true\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 2\nglobal_batch_size: 32\ndecrease_batch_size_if_needed: true\n"}},
     batch_rounded_down},
};

}  // namespace

RuleList batch_rules() { return rules; }

}  // namespace primus_plan::megatron
