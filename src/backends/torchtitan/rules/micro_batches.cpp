#include "backends/torchtitan/rules/micro_batches.h"

#include <algorithm>

#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"

// The micro-batches that a pipeline makes of each local batch.

namespace primus_plan::torchtitan {

namespace {

/// The named schedule is what runs, not a CSV file's order of work, and its stages are known.
bool runs_named_schedule(const TorchTitanRun& run) {
  return run.pipelines() && run.parsed.schedule != nullptr && !run.parsed.schedule->is_abstract &&
         (*run.config.pipeline_parallel_schedule_csv).empty() && run.pipeline.stages_per_rank > 0;
}

/// Whether the schedule takes a number of micro-batches; true where no schedule of a known need runs.
bool schedule_takes(const TorchTitanRun& run, Int micro_batches) {
  if (micro_batches < 1) return false;
  return !runs_named_schedule(run) ||
         takes_micro_batches(*run.parsed.schedule, micro_batches, run.pipeline.stages, run.pp());
}

/// The size of a micro-batch, where it is one.
Int size_of(const TorchTitanRun& run) { return std::max<Int>(*run.config.pipeline_parallel_microbatch_size, 1); }

}  // namespace

bool pipeline_takes(const TorchTitanRun& run, Int local) {
  return !run.pipelines() || (local % size_of(run) == 0 && schedule_takes(run, local / size_of(run)));
}

namespace {

constexpr const char* build_schedule = "torchtitan/distributed/pipeline_parallel.py:build_pipeline_schedule";
constexpr const char* schedule_init = "torch/distributed/pipelining/schedules.py:__init__";

/// Whether the file fixes the global batch: every local batch then has to divide each rank's share of it.
bool global_batch_is_fixed(const TorchTitanRun& run) { return *run.given.global_batch_size > 0; }

/// Local batches that the schedule takes and that divide each rank's share of a fixed global batch, ascending. Without
/// one, those around the present: a multiple of PP that fills the stages suits every schedule, so it is never far.
std::vector<Int> legal_local_batches(const TorchTitanRun& run, Int least) {
  const Int size = size_of(run);
  std::vector<Int> out;
  if (global_batch_is_fixed(run)) {
    const Int global = *run.given.global_batch_size;
    if (run.meshes.batch < 1 || global % run.meshes.batch != 0) return out;
    out = divisors(global / run.meshes.batch);
  } else {
    const Int now = *run.config.local_batch_size / size;
    const Int span = saturating_multiply(2, std::max(run.pipeline.stages, run.pp()));
    const Int begin = std::max({now - span, least / size, Int{1}});
    for (Int count = begin; count <= std::max(now, begin) + span; ++count) {
      out.push_back(saturating_multiply(count, size));
    }
  }
  std::erase_if(out, [&](Int local) { return local < least || !pipeline_takes(run, local); });
  return out;
}

/// Offers legal local batches of `least` or more; where the global batch admits none, says what both would be.
void help_with_local_batches(Message& m, const TorchTitanRun& run, Int least) {
  const Count& local = run.config.local_batch_size;
  const std::vector<Int> all = legal_local_batches(run, least);
  const auto above = std::ranges::upper_bound(all, *local);
  std::vector<Int> legal;
  if (above != all.begin()) legal.push_back(*(above - 1));
  if (above != all.end()) legal.push_back(*above);
  if (!legal.empty()) {
    if (global_batch_is_fixed(run)) {
      m.help("local_batch_size: {}, into which global_batch_size {} splits", numbers_text(legal),
             *run.given.global_batch_size);
    } else {
      m.help("local_batch_size: {} (global_batch_size follows)", numbers_text(legal));
    }
    fix_to_nearest(m, local, *local, legal);
    return;
  }
  if (!global_batch_is_fixed(run) || run.meshes.batch < 1) return;
  const Int enough = saturating_multiply(least, run.meshes.batch);
  m.help("local_batch_size {} with a global_batch_size that is a multiple of {} x {} = {}", least, least,
         run.meshes.batch, enough);
}

void micro_batch_uneven(const TorchTitanRun& run, Findings& out) {
  const Count& size = run.config.pipeline_parallel_microbatch_size;
  if (!run.pipelines() || run.batch.micro <= 0 || run.is_unreadable(size.key)) return;
  if (*size >= 1 && run.batch.micro % *size == 0) return;
  out.add(size, [&](Message& m) {
    if (*size < 1) {
      m.say("pipeline_parallel_microbatch_size is {}: a micro-batch has 1 sample or more", *size);
    } else {
      m.say("local_batch_size {} is not a multiple of pipeline_parallel_microbatch_size {}", run.batch.micro, *size);
    }
    m.because("micro-batches of an accumulation step = local_batch_size / pipeline_parallel_microbatch_size");
    m.also(run.config.local_batch_size, "local_batch_size set here");
    std::vector<Int> legal = divisors_up_to(run.batch.micro, run.batch.micro);
    std::erase_if(legal, [&](Int other) { return !schedule_takes(run, run.batch.micro / other); });
    if (!legal.empty()) {
      m.help("legal pipeline_parallel_microbatch_size: {}", numbers_text(legal));
      fix_to_nearest(m, size, *size, legal);
    } else {
      m.help("no size makes micro-batches enough for {} of a local_batch_size of {}: raise that too",
             run.parsed.schedule->name, run.batch.micro);
    }
  });
}

void because_of_micro_batches(Message& m, const TorchTitanRun& run) {
  m.because("micro-batches {} = local_batch_size {} / pipeline_parallel_microbatch_size {}", run.pipeline.micro_batches,
            run.batch.micro, *run.config.pipeline_parallel_microbatch_size);
}

void too_few_micro_batches(const TorchTitanRun& run, Findings& out) {
  if (!runs_named_schedule(run) || run.parsed.schedule->need != MicroBatchNeed::one_a_stage) return;
  if (run.pipeline.micro_batches <= 0 || run.pipeline.micro_batches >= run.pipeline.stages) return;
  out.add(run.config.local_batch_size, [&](Message& m) {
    m.say("{} wants at least as many micro-batches as stages: {} for {}", run.parsed.schedule->name,
          run.pipeline.micro_batches, run.pipeline.stages);
    because_of_micro_batches(m, run);
    m.also(run.config.pipeline_parallel_degree).also(run.config.pipeline_parallel_microbatch_size);
    help_with_local_batches(m, run,
                            saturating_multiply(run.pipeline.stages, *run.config.pipeline_parallel_microbatch_size));
    m.help("or GPipe, which takes any number");
  });
}

void micro_batches_and_rounds(const TorchTitanRun& run, Findings& out) {
  if (!runs_named_schedule(run) || run.parsed.schedule->need != MicroBatchNeed::rounds) return;
  const Int batches = run.pipeline.micro_batches;
  if (batches <= 0 || schedule_takes(run, batches)) return;
  const Int rounds = batches / run.pp();
  out.add(run.config.local_batch_size, [&](Message& m) {
    m.say("{} micro-batches do not divide into {} rounds of {}", batches, rounds, run.parsed.schedule->name);
    because_of_micro_batches(m, run);
    m.because("rounds {} = micro-batches {} / PP {}, rounded down", rounds, batches, run.pp());
    help_with_local_batches(m, run, *run.config.pipeline_parallel_microbatch_size);
    m.help("or LoopedBFS, which takes any number");
  });
}

void fewer_micro_batches_than_stages(const TorchTitanRun& run, Findings& out) {
  // With one stage a rank the rule about large bubbles says it; 1F1B and DualPipeV refuse it.
  if (!runs_named_schedule(run) || !run.parsed.schedule->multi_stage) return;
  if (run.parsed.schedule->need == MicroBatchNeed::one_a_stage) return;
  if (run.pipeline.micro_batches <= 0 || run.pipeline.micro_batches >= run.pipeline.stages) return;
  out.add(run.config.local_batch_size, [&](Message& m) {
    m.say("{} micro-batches for {} virtual stages: most ranks wait most of the time", run.pipeline.micro_batches,
          run.pipeline.stages);
    because_of_micro_batches(m, run);
    m.because("{} micro-batches fill the pipeline", run.pipeline.stages);
    help_with_local_batches(m, run,
                            saturating_multiply(run.pipeline.stages, *run.config.pipeline_parallel_microbatch_size));
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT324",
      .name = "pipeline-micro-batch-uneven",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = build_schedule,
      .outcome = "TorchTitan stops (ValueError, ZeroDivisionError for 0)",
      .summary = "local_batch_size is a multiple of pipeline_parallel_microbatch_size.",
      .explanation = "The key is the size of a micro-batch, not their number. The number is local_batch_size / "
                     "pipeline_parallel_microbatch_size in each accumulation step.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_microbatch_size: 3\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_microbatch_size: 2\n"}},
     micro_batch_uneven},
    {{.id = "TT325",
      .name = "too-few-pipeline-micro-batches",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = schedule_init,
      .outcome = "torch stops when it builds the schedule (ValueError)",
      .summary = "1F1B and DualPipeV want at least as many micro-batches as virtual stages.",
      .explanation = "Micro-batches count for each accumulation step: raising global_batch_size alone adds "
                     "accumulation steps, not micro-batches. Raise local_batch_size, lower the micro-batch size or "
                     "PP, or take GPipe.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 4\ntraining:\n  local_batch_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 4\ntraining:\n  local_batch_size: 16\n"}},
     too_few_micro_batches},
    {{.id = "TT326",
      .name = "micro-batches-and-rounds",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = schedule_init,
      .outcome = "torch stops when it builds the schedule (ValueError)",
      .summary = "Interleaved1F1B and InterleavedZeroBubble want micro-batches that divide into rounds.",
      .explanation = "rounds = max(1, micro-batches / PP), rounded down; the number of micro-batches has to be a "
                     "multiple of it. Every multiple of PP fits.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 4\n"
                      "  pipeline_parallel_schedule: Interleaved1F1B\ntraining:\n  local_batch_size: 9\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 4\n"
                       "  pipeline_parallel_schedule: Interleaved1F1B\ntraining:\n  local_batch_size: 10\n"}},
     micro_batches_and_rounds},
    {{.id = "TT327",
      .name = "fewer-micro-batches-than-stages",
      .severity = Severity::warning,
      .stage = Stage::schedule,
      .runtime_site = build_schedule,
      .outcome = "TorchTitan logs a warning and goes on",
      .summary = "Schedules of several stages a rank have at least as many micro-batches as virtual stages.",
      .explanation = "With fewer the pipeline never fills: the bubble is larger than the work.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule: Interleaved1F1B\ntraining:\n  local_batch_size: 3\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_schedule: Interleaved1F1B\ntraining:\n  local_batch_size: 4\n"}},
     fewer_micro_batches_than_stages},
};

}  // namespace

RuleList micro_batch_rules() { return rules; }

}  // namespace primus_plan::torchtitan
