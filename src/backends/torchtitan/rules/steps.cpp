#include <algorithm>
#include <cmath>

#include "backends/common/choices.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"

// What happens every so many steps, and the learning rate over all of them.

namespace primus_plan::torchtitan {
namespace {

constexpr const char* lr_schedulers = "torchtitan/components/lr_scheduler.py:build_lr_schedulers";

void collection_interval(const TorchTitanRun& run, Findings& out) {
  const Count& interval = run.config.gc_freq;
  if (*interval > 0 || run.is_unreadable(interval.key)) return;
  out.add(interval, [&](Message& m) {
    m.say("training.gc_freq is {}: it is the number of steps between garbage collections, 1 or more", *interval);
    m.help("a number above training.steps never collects on the way");
  });
}

void log_interval_zero(const TorchTitanRun& run, Findings& out) {
  const Count& interval = run.config.metrics_log_freq;
  if (*interval != 0 || run.is_unreadable(interval.key)) return;
  out.add(interval, [&](Message& m) {
    m.say("metrics.log_freq is 0: the time of a step is the time between two logs divided by it");
    m.help("a number above training.steps logs the first step only");
  });
}

void validation_interval_zero(const TorchTitanRun& run, Findings& out) {
  const Count& interval = run.config.validation_freq;
  if (!*run.config.validation_enable || *interval != 0 || run.is_unreadable(interval.key)) return;
  if (*run.config.steps <= 1) return;  // the first step may validate without looking
  out.add(interval, [&](Message& m) {
    m.say("validation.freq is 0: every step is divided by it to see whether validation is due");
    m.also(run.config.validation_enable);
    m.help("to switch validation off, set validation.enable to false");
  });
}

void profile_window(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& config = run.config;
  if (!*config.profiling_enable_profiling) return;
  for (const Count* field :
       {&config.profiling_profile_freq, &config.profiling_profiler_warmup, &config.profiling_profiler_active}) {
    if (run.is_unreadable(field->key)) return;
  }
  const Int warmup = *config.profiling_profiler_warmup;
  const Int active = *config.profiling_profiler_active;
  if (warmup < 0 || active <= 0) {
    out.add(active <= 0 ? config.profiling_profiler_active : config.profiling_profiler_warmup, [&](Message& m) {
      m.say("the profiler needs profiling.profiler_active of 1 or more and profiler_warmup of 0 or more, not {} and {}",
            active, warmup);
    });
    return;
  }
  const Int window = *config.profiling_profile_freq;
  if (window >= 0 && window - warmup >= active) return;
  out.add(config.profiling_profile_freq, [&](Message& m) {
    m.say("profiling.profile_freq {} is shorter than the {} steps of warm-up and {} of profiling in it", window, warmup,
          active);
    m.also(config.profiling_profiler_warmup).also(config.profiling_profiler_active);
    m.help("profile_freq of at least profiler_warmup + profiler_active; or profiling.enable_profiling: false");
  });
}

void snapshot_interval_zero(const TorchTitanRun& run, Findings& out) {
  const Count& interval = run.config.profiling_profile_freq;
  if (!*run.config.profiling_enable_memory_snapshot || *interval != 0 || run.is_unreadable(interval.key)) return;
  out.add(interval, [&](Message& m) {
    m.say("profiling.profile_freq is 0: every step is divided by it to see whether a memory snapshot is due");
    m.also(run.config.profiling_enable_memory_snapshot);
  });
}

/// The learning rate's curve as build_lr_schedulers cuts it to its length.
struct Curve {
  Int total = 0;
  Int warmup = 0;  ///< as asked for
  Int decay = 0;   ///< after both cuts
};

Curve curve_of(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  Curve out{.total = config.lr_scheduler_total_steps.value.value_or(*config.steps),
            .warmup = *run.given.lr_scheduler_warmup_steps};
  const Int rest = out.total - std::clamp<Int>(out.warmup, 0, std::max<Int>(out.total, 0));
  const auto& ratio = config.lr_scheduler_decay_ratio.value;
  const double asked = ratio ? std::nearbyint(static_cast<double>(out.total) * *ratio) : static_cast<double>(rest);
  out.decay = asked < largest_exact_integer ? std::min(rest, static_cast<Int>(std::max(asked, 0.0))) : rest;
  return out;
}

bool is_curve_readable(const TorchTitanRun& run) {
  for (const char* key :
       {"training.steps", "lr_scheduler.warmup_steps", "lr_scheduler.total_steps", "lr_scheduler.decay_ratio"}) {
    if (run.is_unreadable(key)) return false;
  }
  return true;
}

/// A preset's warm-up is cut as well, but nobody asked for it.
void warmup_cut(const TorchTitanRun& run, Findings& out) {
  if (!is_curve_readable(run) || !is_written(run.given.lr_scheduler_warmup_steps.origin)) return;
  const Curve curve = curve_of(run);
  if (curve.total <= 0 || curve.warmup <= curve.total) return;
  out.add(run.given.lr_scheduler_warmup_steps, [&](Message& m) {
    m.say("lr_scheduler.warmup_steps {} is above the {} steps of the schedule, so it becomes {}", curve.warmup,
          curve.total, curve.total);
    m.because("the learning rate rises until the last step and never decays");
    if (run.config.lr_scheduler_total_steps.value) {
      m.also(run.config.lr_scheduler_total_steps);
    } else {
      m.also(run.config.steps);
    }
    m.help("warm up over fewer than {} steps, or train longer", curve.total);
  });
}

void decay_type_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& type = run.config.lr_scheduler_decay_type;
  constexpr std::string_view types = "linear|sqrt|cosine";
  if (is_choice(types, *type) || run.is_unreadable(type.key) || !is_curve_readable(run)) return;
  const Curve curve = curve_of(run);
  // The rate of step n + 1 is asked for after step n; a stable step stands between warm-up and decay.
  if (curve.decay <= 0 || *run.config.steps <= curve.total - curve.decay) return;
  out.add(type, [&](Message& m) {
    m.say("lr_scheduler.decay_type {} is none of linear, sqrt, cosine", quoted(*type));
    m.because("the decay begins {} steps before the schedule of {} ends", curve.decay, curve.total);
    offer_word(m, type, types);
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT261",
      .name = "collection-interval",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/tools/utils.py:__init__",
      .outcome = "TorchTitan stops when it builds the trainer (AssertionError)",
      .summary = "training.gc_freq is 1 or more.",
      .explanation = "TorchTitan switches Python's own garbage collection off and collects every gc_freq steps, on all "
                     "ranks at once.",
      .bad = {.world_size = 8, .yaml = "training:\n  gc_freq: 0\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "training:\n  gc_freq: 50\n  seq_len: 2048\n"}},
     collection_interval},
    {{.id = "TT262",
      .name = "metrics-log-interval-zero",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/metrics.py:log",
      .outcome = "TorchTitan stops when it logs the first step (ZeroDivisionError)",
      .summary = "metrics.log_freq is 1 or more.",
      .explanation = "The first step is always logged, and every log_freq-th one.",
      .bad = {.world_size = 8, .yaml = "metrics:\n  log_freq: 0\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "metrics:\n  log_freq: 1\ntraining:\n  seq_len: 2048\n"}},
     log_interval_zero},
    {{.id = "TT263",
      .name = "validation-interval-zero",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/validate.py:should_validate",
      .outcome = "TorchTitan stops in one of the first two steps (ZeroDivisionError)",
      .summary = "validation.freq is 1 or more.",
      .explanation = "It is the number of steps between validations.",
      .bad = {.world_size = 8, .yaml = "validation:\n  enable: true\n  freq: 0\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "validation:\n  enable: true\n  freq: 10\ntraining:\n  seq_len: 2048\n"}},
     validation_interval_zero},
    {{.id = "TT264",
      .name = "profile-window",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/tools/profiling.py:maybe_enable_profiling",
      .outcome = "TorchTitan stops before the first step (AssertionError)",
      .summary = "profiling.profile_freq has room for profiler_warmup and profiler_active.",
      .explanation =
          "Each window of profile_freq steps ends with profiler_warmup steps (3) whose numbers are thrown away "
          "and profiler_active ones (1) that are kept.",
      .bad = {.world_size = 8, .yaml = "profiling:\n  enable_profiling: true\n  profile_freq: 2\n"},
      .good = {.world_size = 8, .yaml = "profiling:\n  enable_profiling: true\n  profile_freq: 4\n"}},
     profile_window},
    {{.id = "TT265",
      .name = "snapshot-interval-zero",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/tools/profiling.py:maybe_enable_memory_snapshot",
      .outcome = "TorchTitan stops after the first step (ZeroDivisionError)",
      .summary = "With profiling.enable_memory_snapshot profile_freq is 1 or more.",
      .explanation = "A snapshot is written every profile_freq steps.",
      .bad = {.world_size = 8, .yaml = "profiling:\n  enable_memory_snapshot: true\n  profile_freq: 0\n"},
      .good = {.world_size = 8, .yaml = "profiling:\n  enable_memory_snapshot: true\n  profile_freq: 10\n"}},
     snapshot_interval_zero},
    {{.id = "TT266",
      .name = "warmup-longer-than-schedule",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = lr_schedulers,
      .outcome = "TorchTitan logs a warning and warms up over the whole run",
      .summary = "The warm-up fits in the learning-rate schedule.",
      .explanation = "The schedule is lr_scheduler.total_steps long, or training.steps when that is null. A longer "
                     "warm-up becomes as long as the schedule; the preset's 200 steps do so without a word here.",
      .bad = {.world_size = 8, .yaml = "lr_scheduler:\n  warmup_steps: 2000\ntraining:\n  steps: 1000\n"},
      .good = {.world_size = 8, .yaml = "lr_scheduler:\n  warmup_steps: 200\ntraining:\n  steps: 1000\n"}},
     warmup_cut},
    {{.id = "TT267",
      .name = "decay-type-unknown",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = lr_schedulers,
      .outcome = "TorchTitan stops when the decay begins (UnboundLocalError), possibly hours into the run",
      .summary = "lr_scheduler.decay_type is linear, sqrt or cosine.",
      .explanation = "The word is compared in each step of the decay, and no branch takes another one. Warm-up and the "
                     "stable phase run without it.",
      .bad = {.world_size = 8, .yaml = "lr_scheduler:\n  decay_type: cosin\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "lr_scheduler:\n  decay_type: cosine\ntraining:\n  seq_len: 2048\n"}},
     decay_type_unknown},
};

}  // namespace

RuleList step_rules() { return rules; }

}  // namespace primus_plan::torchtitan
