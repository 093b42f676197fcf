#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

bool by_samples(const MegatronRun& run) { return run.config.train_samples.value.value_or(0) != 0; }
bool is_set(const MaybeCount& field) { return field.value.value_or(0) != 0; }

void iterations_and_samples(const MegatronRun& run, Findings& out) {
  if (!by_iterations(run) || !by_samples(run)) return;
  out.add(run.config.train_samples, [&](Message& m) {
    m.say("train_samples {} and train_iters {} are both set", *run.config.train_samples.value,
          *run.config.train_iters.value);
    m.also(run.config.train_iters, "train_iters set here");
    m.help("keep one: train_iters: null for training counted in samples");
  });
}

void no_training_length(const MegatronRun& run, Findings& out) {
  if (by_iterations(run) || by_samples(run)) return;
  out.add(run.config.train_iters, [&](Message& m) {
    m.say("neither train_iters nor train_samples is set: the learning-rate schedule has no length");
    m.help("set train_iters to the number of steps");
  });
}

void iteration_based_keys(const MegatronRun& run, Findings& out) {
  if (!by_iterations(run)) return;
  const MegatronConfig& config = run.config;
  if (config.lr_decay_samples.value) {
    out.add(config.lr_decay_samples, [&](Message& m) {
      m.say("lr_decay_samples is set, but train_iters {} counts training in iterations", *config.train_iters.value);
      m.help("use lr_decay_iters");
    });
  }
  if (is_set(config.lr_warmup_samples)) {
    out.add(config.lr_warmup_samples, [&](Message& m) {
      m.say("lr_warmup_samples is {}, but train_iters {} counts training in iterations",
            *config.lr_warmup_samples.value, *config.train_iters.value);
      m.help("use lr_warmup_iters");
    });
  }
}

void sample_based_keys(const MegatronRun& run, Findings& out) {
  if (!by_samples(run)) return;
  const MegatronConfig& config = run.config;
  for (const MaybeCount* key : {&config.lr_decay_iters, &config.lr_warmup_iters}) {
    const bool wrong = key == &config.lr_decay_iters ? key->value.has_value() : is_set(*key);
    if (!wrong) continue;
    out.add(*key, [&](Message& m) {
      m.say("{} is {}, but train_samples {} counts training in samples", key->key, *key->value,
            *config.train_samples.value);
      m.help("set lr_decay_iters: null and lr_warmup_iters: 0, and use the keys that count samples");
    });
  }
}

void two_warmups(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!config.lr_warmup_fraction.value) return;
  const MaybeCount& other = by_iterations(run) ? config.lr_warmup_iters : config.lr_warmup_samples;
  if (!is_set(other)) return;
  out.add(config.lr_warmup_fraction, [&](Message& m) {
    m.say("lr_warmup_fraction {} and {} {} are both set", *config.lr_warmup_fraction.value, other.key, *other.value);
    m.also(other);
    m.help("keep one: {}: 0, or lr_warmup_fraction: null", other.key);
  });
}

void fraction_not_shorter(const MegatronRun& run, Findings& out) {
  const MaybeNumber& fraction = run.config.lr_warmup_fraction;
  if (*fraction.value < 1) return;
  out.add(fraction, [&](Message& m) {
    m.say("lr_warmup_fraction {} warms up for the whole learning-rate schedule", *fraction.value);
    m.help("a fraction is a share of the schedule, below 1: 0.01 for one step of a hundred");
  });
}

/// OptimizerParamScheduler: the warm-up must end before the decay does, and both count samples.
void warmup_not_shorter(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (config.lr_warmup_fraction.value) return fraction_not_shorter(run, out);
  const bool iterations = by_iterations(run);
  if (!iterations && !by_samples(run)) return;
  const MaybeCount& length = iterations ? config.train_iters : config.train_samples;
  const MaybeCount& decay = iterations ? config.lr_decay_iters : config.lr_decay_samples;
  const MaybeCount& warmup = iterations ? config.lr_warmup_iters : config.lr_warmup_samples;
  const Int end = decay.value.value_or(*length.value);
  if (warmup.value.value_or(0) < end || end <= 0) return;
  out.add(warmup, [&](Message& m) {
    m.say("{} {} is not shorter than the learning-rate schedule of {} {}", warmup.key, *warmup.value, end,
          iterations ? "iterations" : "samples");
    if (decay.value) {
      m.also(decay, "the schedule's length set here");
    } else {
      m.also(length, "the schedule is as long as training");
    }
    m.help("warm up over fewer than {}, or train longer", end);
  });
}

void learning_rate_below_minimum(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!config.lr.value || !config.min_lr.value || *config.min_lr.value <= *config.lr.value) return;
  out.add(config.min_lr, [&](Message& m) {
    m.say("min_lr {} is above lr {}", *config.min_lr.value, *config.lr.value);
    m.also(config.lr, "lr set here");
    m.help("min_lr is where the schedule ends: at most lr");
  });
}

void save_interval(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (config.save.value.empty()) return;
  const Int interval = config.save_interval.value.value_or(0);
  if (interval <= 0) {
    out.add(config.save_interval, [&](Message& m) {
      m.say("save is set but save_interval is {}", config.save_interval.value ? fmt::format("{}", interval) : "null");
      m.also(config.save, "saving is asked for here");
      m.help("set save_interval to the number of steps between checkpoints");
    });
    return;
  }
  const auto retain = config.save_retain_interval.value;
  if (!retain || (*retain > 0 && *retain % interval == 0)) return;
  out.add(config.save_retain_interval, [&](Message& m) {
    m.say("save_retain_interval {} is not a positive multiple of save_interval {}", *retain, interval);
    m.also(config.save_interval);
    help_with_nearest(m, multiples_around(*retain, interval));
  });
}

void fewer_samples_than_a_step(const MegatronRun& run, Findings& out) {
  if (by_iterations(run) || !by_samples(run) || run.batch.global <= 0) return;
  if (*run.config.train_samples.value >= run.batch.global) return;
  out.add(run.config.train_samples, [&](Message& m) {
    m.say("train_samples {} is less than one global batch of {}: training has 0 iterations",
          *run.config.train_samples.value, run.batch.global);
    m.also(run.config.global_batch_size);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG220",
      .name = "iterations-and-samples",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "train_iters and train_samples exclude each other.",
      .explanation = "Training is counted in iterations or in samples. The pre_trainer preset sets train_iters: 1000, "
                     "so counting samples needs train_iters: null.",
      .bad = {.world_size = 8, .yaml = "train_samples: 16000\nlr_warmup_iters: 0\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"}},
     iterations_and_samples},
    {{.id = "MG221",
      .name = "no-training-length",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/training.py:get_optimizer_param_scheduler",
      .outcome = "Megatron stops when it builds the learning-rate schedule (Exception)",
      .summary = "train_iters or train_samples is set.",
      .explanation = "The learning-rate schedule needs a length.",
      .bad = {.world_size = 8, .yaml = "train_iters: null\n"},
      .good = {.world_size = 8,
               .yaml = "train_iters: 100\n"
                       "lr_warmup_iters: 0\n"}},
     no_training_length},
    {{.id = "MG222",
      .name = "sample-keys-with-iterations",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Training counted in iterations takes lr_decay_iters and lr_warmup_iters.",
      .explanation = "lr_decay_samples and lr_warmup_samples go with train_samples only.",
      .bad = {.world_size = 8, .yaml = "lr_decay_samples: 1000\n"},
      .good = {.world_size = 8, .yaml = "lr_decay_iters: 1000\n"}},
     iteration_based_keys},
    {{.id = "MG223",
      .name = "iteration-keys-with-samples",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Training counted in samples takes lr_decay_samples and lr_warmup_samples.",
      .explanation =
          "lr_decay_iters has to be null and lr_warmup_iters 0. The pre_trainer preset sets lr_warmup_iters: 40.",
      .bad = {.world_size = 8,
              .yaml = "train_samples: 16000\n"
                      "train_iters: null\n"
                      "lr_warmup_iters: 10\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"}},
     sample_based_keys},
    {{.id = "MG224",
      .name = "two-warmups",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "The warm-up is a fraction or a number, not both.",
      .explanation = "lr_warmup_fraction is a share of the schedule; lr_warmup_iters (lr_warmup_samples) is a number. "
                     "The pre_trainer preset sets lr_warmup_iters: 40.",
      .bad = {.world_size = 8,
              .yaml = "lr_warmup_iters: 10\n"
                      "lr_warmup_fraction: 0.1\n"},
      .good = {.world_size = 8,
               .yaml = "lr_warmup_iters: 0\n"
                       "lr_warmup_fraction: 0.1\n"}},
     two_warmups},
    {{.id = "MG225",
      .name = "warmup-not-shorter",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/optimizer_param_scheduler.py:__init__",
      .outcome = "Megatron stops when it builds the learning-rate schedule (AssertionError)",
      .summary = "The warm-up ends before the learning-rate schedule does.",
      .explanation = "The schedule is lr_decay_iters long, or train_iters when that is null. Short smoke tests forget "
                     "the warm-up: the pre_trainer preset sets lr_warmup_iters: 40. As a share of the schedule "
                     "(lr_warmup_fraction) the warm-up is below 1.",
      .bad = {.world_size = 8, .yaml = "train_iters: 10\n"},
      .good = {.world_size = 8,
               .yaml = "train_iters: 10\n"
                       "lr_warmup_iters: 2\n"}},
     warmup_not_shorter},
    {{.id = "MG226",
      .name = "minimum-above-learning-rate",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "min_lr is at most lr.",
      .explanation = "min_lr is where the schedule ends.",
      .bad = {.world_size = 8,
              .yaml = "lr: 1.0e-5\n"
                      "min_lr: 1.0e-4\n"},
      .good = {.world_size = 8,
               .yaml = "lr: 1.0e-4\n"
                       "min_lr: 1.0e-5\n"}},
     learning_rate_below_minimum},
    {{.id = "MG227",
      .name = "save-interval",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Saving needs a positive save_interval, and save_retain_interval a multiple of it.",
      .explanation = "save names the folder, save_interval the steps between checkpoints.",
      .bad = {.world_size = 8,
              .yaml = "save: /checkpoints\n"
                      "save_interval: null\n"},
      .good = {.world_size = 8,
               .yaml = "save: /checkpoints\n"
                       "save_interval: 100\n"}},
     save_interval},
    {{.id = "MG231",
      .name = "fewer-samples-than-a-step",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/training.py:update_train_iters",
      .outcome = "trains 0 iterations and ends",
      .summary = "train_samples holds at least one global batch.",
      .explanation = "train_iters becomes train_samples / global_batch_size, rounded down.",
      .bad = {.world_size = 8,
              .yaml = "train_samples: 10\n"
                      "train_iters: null\n"
                      "lr_warmup_iters: 0\n"
                      "lr_decay_iters: null\n"
                      "global_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"}},
     fewer_samples_than_a_step},
};

}  // namespace

RuleList training_rules() { return rules; }

}  // namespace primus_plan::megatron
