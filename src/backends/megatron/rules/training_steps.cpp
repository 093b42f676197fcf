#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"

// What every step divides by, and the learning rate that it takes.

namespace primus_plan::megatron {
namespace {

constexpr const char* validation_samples = "megatron/training/training.py:get_train_valid_test_num_samples";

/// The run counts its validation samples by eval_interval, which is 0.
bool counts_by_zero(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  return config.eval_interval.value == 0 && !*config.skip_train && !*config.full_validation;
}

void evaluation_interval_zero(const MegatronRun& run, Findings& out) {
  if (!counts_by_zero(run) || run.config.eval_iters.value.value_or(0) <= 0) return;
  out.add(run.config.eval_interval, [&](Message& m) {
    m.say("eval_interval is 0: Megatron divides train_iters by it to count the validation samples");
    m.also(run.config.eval_iters);
    m.help("eval_iters: 0 and an eval_interval of 1 or more switch evaluation off");
  });
}

void unused_interval_zero(const MegatronRun& run, Findings& out) {
  if (!counts_by_zero(run) || run.config.eval_iters.value.value_or(0) > 0) return;
  out.add(run.config.eval_interval, [&](Message& m) {
    m.say("eval_interval is 0: some versions of Megatron divide train_iters by it even when eval_iters is 0");
    m.also(run.config.eval_iters);
    m.help("eval_iters: 0 alone switches evaluation off: leave eval_interval at 1 or more");
  });
}

void log_interval_zero(const MegatronRun& run, Findings& out) {
  const Count& interval = run.config.log_interval;
  if (*interval != 0 || interval.is_unreadable) return;
  out.add(interval, [&](Message& m) {
    m.say("log_interval is 0: every step is divided by it to see whether a log is due");
    m.help("a number above train_iters logs nothing");
  });
}

void no_learning_rate(const MegatronRun& run, Findings& out) {
  const MaybeNumber& rate = run.config.lr;
  if (rate.value || !rate.is_explicit || rate.is_unreadable) return;
  out.add(rate, [&](Message& m) {
    m.say("lr is null: the learning-rate schedule makes a number of it");
    m.help("give a number, or take the key out for the preset's");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG232",
      .name = "evaluation-interval-zero",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = validation_samples,
      .outcome = "Megatron stops before the first step (ZeroDivisionError)",
      .summary = "eval_interval is 1 or more.",
      .explanation = "Validation data is made for train_iters / eval_interval + 1 evaluations of eval_iters batches.",
      .bad = {.world_size = 8, .yaml = "eval_interval: 0\neval_iters: 10\n"},
      .good = {.world_size = 8, .yaml = "eval_interval: 100\neval_iters: 10\n"}},
     evaluation_interval_zero},
    {{.id = "MG233",
      .name = "unused-evaluation-interval-zero",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = validation_samples,
      .outcome = "some versions of Megatron stop before the first step (ZeroDivisionError)",
      .summary = "eval_interval is 1 or more even without evaluation.",
      .explanation = "eval_iters: 0, which the pre_trainer preset sets, switches evaluation off. The interval is "
                     "divided by all the same, unless the version looks at eval_iters first.",
      .bad = {.world_size = 8, .yaml = "eval_interval: 0\neval_iters: 0\n"},
      .good = {.world_size = 8, .yaml = "eval_interval: 1000\neval_iters: 0\n"}},
     unused_interval_zero},
    {{.id = "MG234",
      .name = "log-interval-zero",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/training/training.py:training_log",
      .outcome = "Megatron stops after the first step (ZeroDivisionError)",
      .summary = "log_interval is 1 or more.",
      .explanation = "It is the number of steps between two lines of the log.",
      .bad = {.world_size = 8, .yaml = "log_interval: 0\n"},
      .good = {.world_size = 8, .yaml = "log_interval: 1\n"}},
     log_interval_zero},
    {{.id = "MG235",
      .name = "no-learning-rate",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/optimizer_param_scheduler.py:__init__",
      .outcome = "Megatron stops when it builds the learning-rate schedule (TypeError)",
      .summary = "lr is a number.",
      .explanation = "Null takes the place of the preset's learning rate. The argument checks pass over it; the "
                     "schedule cannot.",
      .bad = {.world_size = 8, .yaml = "lr: null\n"},
      .good = {.world_size = 8, .yaml = "lr: 1.0e-4\n"}},
     no_learning_rate},
};

}  // namespace

RuleList training_step_rules() { return rules; }

}  // namespace primus_plan::megatron
