#include "backends/common/choices.h"
#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "support/lower_case.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* manager_init = "torchtitan/components/checkpoint.py:__init__";
constexpr const char* manager_stops = "TorchTitan stops when it builds the checkpoint manager (ValueError)";

bool is_judged(const TorchTitanRun& run, const char* key) {
  return *run.config.checkpoint_enable && !run.is_unreadable(key);
}

void single_replica(const TorchTitanRun& run, Findings& out) {
  const Count& kept = run.config.checkpoint_keep_latest_k;
  if (!is_judged(run, kept.key) || *kept != 1) return;
  out.add(kept, [&](Message& m) {
    m.say("checkpoint.keep_latest_k is 1: the only copy could be the one that is being written");
    m.help("2 or more, or 0 to keep all of them");
    m.fix("set checkpoint.keep_latest_k to 2", kept, "2");
  });
}

void async_mode_unknown(const TorchTitanRun& run, Findings& out) {
  constexpr std::string_view modes = "disabled|async|async_with_pinned_mem";
  const Word& mode = run.config.checkpoint_async_mode;
  if (!is_judged(run, mode.key)) return;
  if (is_choice(modes, lower_case(*mode))) return;
  out.add(mode, [&](Message& m) {
    m.say("checkpoint.async_mode {} is none of disabled, async, async_with_pinned_mem", quoted(*mode));
    offer_word(m, mode, modes);
  });
}

void export_type_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& type = run.config.checkpoint_export_dtype;
  constexpr std::string_view types = "float16|bfloat16|float32";
  if (!is_judged(run, type.key) || is_choice(types, *type)) return;
  out.add(type, [&](Message& m) {
    m.say("checkpoint.export_dtype {} is none of float16, bfloat16, float32", quoted(*type));
    offer_word(m, type, types);
  });
}

/// Steps that only ask whether to save: neither the last one nor a first one that is always saved.
bool asks_the_interval(const TorchTitanRun& run) {
  return *run.config.steps > (*run.config.checkpoint_enable_first_step_checkpoint ? 2 : 1);
}

void interval_zero(const TorchTitanRun& run, Findings& out) {
  const Count& interval = run.config.checkpoint_interval;
  if (!is_judged(run, interval.key) || *interval != 0) return;
  if (*run.config.checkpoint_load_only || !asks_the_interval(run)) return;
  out.add(interval, [&](Message& m) {
    m.say("checkpoint.interval is 0: every step is divided by it to see whether a checkpoint is due");
    m.also(run.config.checkpoint_enable);
    m.help("a number above training.steps saves after the last step only");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT561",
      .name = "checkpoint-single-replica",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = manager_init,
      .outcome = manager_stops,
      .summary = "checkpoint.keep_latest_k is 0 or at least 2.",
      .explanation =
          "Older checkpoints are deleted while a new one may still be on its way to the disk, so two are the "
          "least that is safe. 0 keeps all.",
      .bad = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  keep_latest_k: 1\n"},
      .good = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  keep_latest_k: 2\n"}},
     single_replica},
    {{.id = "TT562",
      .name = "checkpoint-async-mode-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = manager_init,
      .outcome = manager_stops,
      .summary = "checkpoint.async_mode is disabled, async or async_with_pinned_mem.",
      .explanation = "async writes in a thread, async_with_pinned_mem in a process of its own. Case does not matter.",
      .bad = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  async_mode: asynch\n"},
      .good = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  async_mode: async\n"}},
     async_mode_unknown},
    {{.id = "TT563",
      .name = "checkpoint-export-type-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = manager_init,
      .outcome = "TorchTitan stops when it builds the checkpoint manager (KeyError)",
      .summary = "checkpoint.export_dtype is float16, bfloat16 or float32.",
      .explanation = "The name is looked up even where no checkpoint is exported.",
      .bad = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  export_dtype: fp32\n"},
      .good = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  export_dtype: float32\n"}},
     export_type_unknown},
    {{.id = "TT564",
      .name = "checkpoint-interval-zero",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/checkpoint.py:_should_save",
      .outcome = "TorchTitan stops after the first step (ZeroDivisionError)",
      .summary = "checkpoint.interval is 1 or more.",
      .explanation = "It is the number of steps between checkpoints. The last step always saves, and load_only never.",
      .bad = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  interval: 0\n"},
      .good = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  interval: 500\n"}},
     interval_zero},
};

}  // namespace

RuleList checkpoint_rules() { return rules; }

}  // namespace primus_plan::torchtitan
