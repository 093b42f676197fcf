#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"

// What the schedule of learning rate and weight decay asserts when it is built.

namespace primus_plan::megatron {
namespace {

constexpr const char* scheduler = "megatron/core/optimizer_param_scheduler.py:__init__";
constexpr const char* scheduler_stop = "Megatron stops when it builds the learning-rate schedule (AssertionError)";

void two_sources_of_schedule(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_checkpoint_opt_param_scheduler || !*config.override_opt_param_scheduler) return;
  out.add(config.use_checkpoint_opt_param_scheduler, [&](Message& m) {
    m.say("use_checkpoint_opt_param_scheduler and override_opt_param_scheduler are both on");
    m.also(config.override_opt_param_scheduler, "the experiment's schedule is asked for here");
    m.help("override_opt_param_scheduler: false goes on with the checkpoint's schedule");
    fix_either(m, config.override_opt_param_scheduler, "false", config.use_checkpoint_opt_param_scheduler, "false");
  });
}

void anneal_without_length(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.lr_decay_style != "WSD") return;
  const bool iterations = by_iterations(run);
  const MaybeCount& length = iterations ? config.lr_wsd_decay_iters : config.lr_wsd_decay_samples;
  if (length.value || length.is_unreadable) return;
  out.add(config.lr_decay_style, [&](Message& m) {
    m.say("lr_decay_style WSD needs {}, which is null", length.key);
    m.also(length);
    m.help("{} is the number of {} at the end over which the learning rate falls to min_lr", length.key,
           iterations ? "iterations" : "samples");
  });
}

void schedule_without_length(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool iterations = by_iterations(run);
  const MaybeCount& training = iterations ? config.train_iters : config.train_samples;
  const MaybeCount& decay = iterations ? config.lr_decay_iters : config.lr_decay_samples;
  if (training.value.value_or(0) == 0) return;
  const MaybeCount& length = decay.value ? decay : training;
  if (*length.value > 0) return;
  out.add(length, [&](Message& m) {
    m.say("{} is {}: the learning-rate schedule has no length", length.key, *length.value);
    if (&length == &decay) {
      m.help("{}: null makes the schedule as long as training", length.key);
      m.fix("make the schedule as long as training", length, "null");
    }
  });
}

void learning_rate_range(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (config.min_lr.value && *config.min_lr.value < 0) {
    out.add(config.min_lr, [&](Message& m) { m.say("min_lr {} is below 0", *config.min_lr.value); });
  }
  if (!config.lr.value || *config.lr_warmup_init <= *config.lr.value) return;
  out.add(config.lr_warmup_init, [&](Message& m) {
    m.say("lr_warmup_init {} is above lr {}", *config.lr_warmup_init, *config.lr.value);
    m.also(config.lr, "lr set here");
    m.help("the warm-up goes from lr_warmup_init up to lr");
  });
}

/// Weight decay as the schedule gets it; without one of the two its rule (MG527) has spoken.
void weight_decay_range(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const MaybeNumber& first = config.start_weight_decay;
  const MaybeNumber& last = config.end_weight_decay;
  if (!first.value || !last.value) return;
  const bool is_constant = *config.weight_decay_incr_style == "constant";
  if (*first.value < 0) {
    const auto say = [&](Message& m, std::string_view key) { m.say("{} {} is below 0", key, *first.value); };
    if (is_constant && !run.given.start_weight_decay.value) {
      out.add(config.weight_decay, [&](Message& m) { say(m, config.weight_decay.key); });
    } else {
      out.add(first, [&](Message& m) { say(m, first.key); });
    }
  }
  if (*last.value >= *first.value || is_constant) return;
  out.add(last, [&](Message& m) {
    m.say("end_weight_decay {} is below start_weight_decay {}: weight decay only grows", *last.value, *first.value);
    m.also(first);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG236",
      .name = "two-sources-of-schedule",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = scheduler,
      .outcome = scheduler_stop,
      .summary = "The learning-rate schedule comes from the checkpoint or from the experiment, not both.",
      .explanation = "The pre_trainer and sft_trainer presets set override_opt_param_scheduler: true, so going on with "
                     "a checkpoint's schedule takes both keys.",
      .bad = {.world_size = 8, .yaml = "use_checkpoint_opt_param_scheduler: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_checkpoint_opt_param_scheduler: true\n"
                       "override_opt_param_scheduler: false\n"}},
     two_sources_of_schedule},
    {{.id = "MG237",
      .name = "anneal-without-length",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = scheduler,
      .outcome = scheduler_stop,
      .summary = "lr_decay_style WSD needs the length of its decay.",
      .explanation = "WSD warms up, keeps the learning rate stable and lets it decay at the end, over "
                     "lr_wsd_decay_iters iterations, or lr_wsd_decay_samples samples where training counts in them.",
      .bad = {.world_size = 8, .yaml = "lr_decay_style: WSD\n"},
      .good = {.world_size = 8,
               .yaml = "lr_decay_style: WSD\n"
                       "lr_wsd_decay_iters: 100\n"}},
     anneal_without_length},
    {{.id = "MG238",
      .name = "schedule-without-length",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = scheduler,
      .outcome = scheduler_stop,
      .summary = "The learning-rate schedule is one step long or more.",
      .explanation = "lr_decay_iters: null makes it as long as training; 0 is a length of nothing.",
      .bad = {.world_size = 8, .yaml = "lr_decay_iters: 0\n"},
      .good = {.world_size = 8, .yaml = "lr_decay_iters: null\n"}},
     schedule_without_length},
    {{.id = "MG239",
      .name = "learning-rate-range",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = scheduler,
      .outcome = scheduler_stop,
      .summary = "min_lr is 0 or more, lr_warmup_init at most lr.",
      .explanation = "The warm-up goes from lr_warmup_init up to lr, the decay from lr down to min_lr.",
      .bad = {.world_size = 8,
              .yaml = "lr: 1.0e-4\n"
                      "lr_warmup_init: 1.0e-3\n"},
      .good = {.world_size = 8,
               .yaml = "lr: 1.0e-4\n"
                       "lr_warmup_init: 1.0e-5\n"}},
     learning_rate_range},
    {{.id = "MG528",
      .name = "weight-decay-falls",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = scheduler,
      .outcome = scheduler_stop,
      .summary = "Weight decay is 0 or more and never falls.",
      .explanation = "The styles linear and cosine go up from start_weight_decay to end_weight_decay.",
      .bad = {.world_size = 8,
              .yaml = "weight_decay_incr_style: linear\n"
                      "start_weight_decay: 0.1\n"
                      "end_weight_decay: 0.01\n"},
      .good = {.world_size = 8,
               .yaml = "weight_decay_incr_style: linear\n"
                       "start_weight_decay: 0.01\n"
                       "end_weight_decay: 0.1\n"}},
     weight_decay_range},
};

}  // namespace

RuleList parameter_schedule_rules() { return rules; }

}  // namespace primus_plan::megatron
