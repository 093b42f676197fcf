#include "backends/torchtitan/rules/micro_batches.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"
#include "support/product_text.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* trainer_init = "torchtitan/train.py:__init__";

void local_batch_below_one(const TorchTitanRun& run, Findings& out) {
  const Count& local = run.config.local_batch_size;
  if (*local >= 1) return;
  out.add(local, [&](Message& m) {
    m.say("local_batch_size is {}: each data-parallel rank takes 1 sample or more at once", *local);
    m.help("start with 1 or 2 and raise it while memory allows");
    m.fix("set local_batch_size to 1", local, "1");
  });
}

void global_batch_zero(const TorchTitanRun& run, Findings& out) {
  const Count& global = run.given.global_batch_size;
  if (*global != 0 || run.is_unreadable(global.key)) return;
  out.add(global, [&](Message& m) {
    m.say("global_batch_size is 0: a step takes 1 sample or more");
    m.help("-1 means local_batch_size x data-parallel degree, one accumulation step");
    m.fix("set global_batch_size to -1", global, "-1");
  });
}

void global_batch_uneven(const TorchTitanRun& run, Findings& out) {
  const Int per_step = saturating_multiply(run.batch.micro, run.meshes.batch);
  if (run.batch.global <= 0 || per_step <= 0 || run.batch.global % per_step == 0) return;
  const Count& global = run.config.global_batch_size;
  out.add(global, [&](Message& m) {
    m.say("global_batch_size {} is not a multiple of local_batch_size x data-parallel degree = {} x {} = {}",
          run.batch.global, run.batch.micro, run.meshes.batch, product_text(per_step));
    m.also(run.config.local_batch_size, "local_batch_size set here");
    because_of_data_parallel(m, run);
    const std::vector<Int> legal = multiples_around(run.batch.global, per_step);
    help_with_nearest(m, legal);
    if (run.batch.global % run.meshes.batch == 0) {
      std::vector<Int> local = divisors_up_to(run.batch.global / run.meshes.batch, run.batch.micro);
      std::erase_if(local, [&](Int samples) { return !pipeline_takes(run, samples); });
      if (!local.empty()) m.help("or local_batch_size: {}", numbers_text(local));
    }
    fix_to_nearest(m, global, run.batch.global, legal);
  });
}

void global_batch_negative(const TorchTitanRun& run, Findings& out) {
  const Count& global = run.given.global_batch_size;
  if (*global >= -1) return;
  out.add(global, [&](Message& m) {
    if (run.batch.global > 0) {
      m.say("global_batch_size {} is taken for -1: the step has {} samples", *global, run.batch.global);
      because_of_data_parallel(m, run);
    } else {
      m.say("global_batch_size {} is taken for -1: local_batch_size x data-parallel degree", *global);
    }
    m.help("write -1, or the number of samples of a step");
    m.fix("set global_batch_size to -1", global, "-1", true);
  });
}

void no_training_steps(const TorchTitanRun& run, Findings& out) {
  const Count& steps = run.config.steps;
  if (*steps >= 1 || run.is_unreadable(steps.key)) return;
  out.add(steps, [&](Message& m) {
    m.say("training.steps is {}: the run ends before its first step", *steps);
    m.help("there is no value for an endless run: write the number of optimizer steps");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT201",
      .name = "local-batch-below-one",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torch/utils/data/sampler.py:__init__",
      .outcome = "TorchTitan stops when it builds the data loader (ValueError)",
      .summary = "local_batch_size is 1 or more.",
      .explanation = "local_batch_size is what one data-parallel rank takes through the model in one accumulation "
                     "step. The data loader refuses 0 and negative numbers before any batch arithmetic.",
      .bad = {.world_size = 8, .yaml = "training:\n  local_batch_size: 0\n"},
      .good = {.world_size = 8, .yaml = "training:\n  local_batch_size: 1\n"}},
     local_batch_below_one},
    {{.id = "TT202",
      .name = "global-batch-zero",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = trainer_init,
      .outcome = "TorchTitan stops (AssertionError)",
      .summary = "global_batch_size is negative or positive, not 0.",
      .explanation = "A negative number stands for local_batch_size x data-parallel degree. 0 stands for nothing.",
      .bad = {.world_size = 8, .yaml = "training:\n  global_batch_size: 0\n"},
      .good = {.world_size = 8, .yaml = "training:\n  global_batch_size: -1\n"}},
     global_batch_zero},
    {{.id = "TT203",
      .name = "global-batch-uneven-over-shards",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = trainer_init,
      .outcome = "TorchTitan stops (AssertionError)",
      .summary = "The global batch must split evenly into local batches over the data-parallel ranks.",
      .explanation = "global_batch_size = local_batch_size x replicate x shard x accumulation steps, exactly. "
                     "shard is the resolved data_parallel_shard_degree; CP, TP, PP and EP take no part. There is "
                     "no key for the accumulation steps. Raising TP, CP or PP at the same world size lowers shard, "
                     "and so raises the number of accumulation steps.",
      .bad = {.world_size = 8, .yaml = "training:\n  local_batch_size: 4\n  global_batch_size: 40\n"},
      .good = {.world_size = 8, .yaml = "training:\n  local_batch_size: 4\n  global_batch_size: 64\n"}},
     global_batch_uneven},
    {{.id = "TT204",
      .name = "global-batch-negative",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = trainer_init,
      .outcome = "the run goes on as with -1",
      .summary = "Every negative global_batch_size means -1.",
      .explanation = "The trainer tests for a negative number, not for -1. -1 is what readers know.",
      .bad = {.world_size = 8, .yaml = "training:\n  global_batch_size: -5\n"},
      .good = {.world_size = 8, .yaml = "training:\n  global_batch_size: -1\n"}},
     global_batch_negative},
    {{.id = "TT205",
      .name = "no-training-steps",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/train.py:train",
      .outcome = "the training loop is not entered",
      .summary = "training.steps is 1 or more.",
      .explanation = "The loop runs while the step counter is below training.steps.",
      .bad = {.world_size = 8, .yaml = "training:\n  steps: 0\n"},
      .good = {.world_size = 8, .yaml = "training:\n  steps: 10\n"}},
     no_training_steps},
};

}  // namespace

RuleList batch_rules() { return rules; }

}  // namespace primus_plan::torchtitan
