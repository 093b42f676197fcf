#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* build_schedule = "torchtitan/distributed/pipeline_parallel.py:build_pipeline_schedule";
constexpr const char* schedule_class = "torch/distributed/pipelining/schedules.py:get_schedule_class";

/// A CSV file replaces the schedule's own order of work.
bool has_csv(const TorchTitanRun& run) { return !(*run.config.pipeline_parallel_schedule_csv).empty(); }

void schedule_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& schedule = run.config.pipeline_parallel_schedule;
  if (!run.pipelines() || run.parsed.schedule != nullptr) return;
  out.add(schedule, [&](Message& m) {
    m.say("pipeline_parallel_schedule {} is no schedule of torch", quoted(*schedule));
    m.help(
        "one stage a rank: 1F1B, GPipe; two: Interleaved1F1B, LoopedBFS, InterleavedZeroBubble, ZBVZeroBubble, "
        "DualPipeV");
  });
}

void schedule_abstract(const TorchTitanRun& run, Findings& out) {
  if (!run.pipelines() || run.parsed.schedule == nullptr || !run.parsed.schedule->is_abstract || has_csv(run)) return;
  out.add(run.config.pipeline_parallel_schedule, [&](Message& m) {
    m.say("{} has no order of work of its own and needs pipeline_parallel_schedule_csv", run.parsed.schedule->name);
    m.help("take {}", run.parsed.schedule->multi_stage ? "Interleaved1F1B" : "1F1B");
  });
}

void schedule_csv_missing(const TorchTitanRun& run, Findings& out) {
  if (!run.pipelines() || !has_csv(run) || !run.parsed.schedule_csv_is_missing) return;
  out.add(run.config.pipeline_parallel_schedule_csv, [&](Message& m) {
    m.say("pipeline_parallel_schedule_csv {} is no file here", quoted(*run.config.pipeline_parallel_schedule_csv));
    m.because("a relative path counts from the folder in which the run starts");
    m.help("'' runs the named schedule");
    m.fix("set pipeline_parallel_schedule_csv to ''", run.config.pipeline_parallel_schedule_csv, "''");
  });
}

void zero_bubble_compiled(const TorchTitanRun& run, Findings& out) {
  if (!run.pipelines() || run.parsed.schedule == nullptr || !run.parsed.schedule->zero_bubble || has_csv(run)) return;
  if (!run.parsed.compiles_model) return;
  out.add(run.config.pipeline_parallel_schedule, [&](Message& m) {
    m.say("{} does not run compiled stages, and compile.enable compiles the model", run.parsed.schedule->name);
    m.because("Primus's preset switches compile.enable on; TorchTitan's own default is off");
    m.also(run.config.compile_enable);
    m.help("set compile.enable to false, or compile.components to [loss]");
    m.fix("set compile.enable to false", run.config.compile_enable, "false");
  });
}

bool overlaps_recomputed_experts(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  const bool dual_pipe = run.parsed.schedule != nullptr && run.parsed.schedule->name == "DualPipeV";
  return run.pipelines() && run.ep() > 1 && dual_pipe && *config.pipeline_parallel_expert_parallel_overlap &&
         *config.ac_mode != "none";
}

void dual_pipe_with_recompute(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& config = run.config;
  if (!overlaps_recomputed_experts(run)) return;
  out.add(config.ac_mode, [&](Message& m) {
    m.say("DualPipeV overlaps expert communication (EP {}), which does not go with activation_checkpoint.mode {}",
          run.ep(), *config.ac_mode);
    m.help("activation_checkpoint.mode: none, or pipeline_parallel_expert_parallel_overlap: false");
    m.fix("set activation_checkpoint.mode to none", config.ac_mode, "none");
  });
}

template <class T, class V>
void add_if_ignored(const Sourced<T>& field, const V& usual, const TorchTitanRun& run, Findings& out) {
  if (field.value == T(usual)) return;
  out.add(field, [&](Message& m) {
    m.say("{} has no effect: pipeline_parallel_degree is 1", field.key);
    m.also(run.config.pipeline_parallel_degree);
    m.help("drop the key, or set pipeline_parallel_degree above 1");
  });
}

void pipeline_keys_ignored(const TorchTitanRun& run, Findings& out) {
  if (run.pp() != 1) return;
  const TorchTitanConfig& config = run.config;
  add_if_ignored(config.pipeline_parallel_schedule, "1F1B", run, out);
  add_if_ignored(config.pipeline_parallel_schedule_csv, "", run, out);
  add_if_ignored(config.pipeline_parallel_layers_per_stage, std::nullopt, run, out);
  add_if_ignored(config.pipeline_parallel_microbatch_size, 1, run, out);
  add_if_ignored(config.pipeline_parallel_first_stage_less_layers, 1, run, out);
  add_if_ignored(config.pipeline_parallel_last_stage_less_layers, 1, run, out);
  add_if_ignored(config.module_fqns_per_model_part, nullptr, run, out);
}

void loss_not_shown(const TorchTitanRun& run, Findings& out) {
  if (!run.pipelines() || run.parsed.schedule == nullptr || !run.parsed.schedule->v_shaped) return;
  if (*run.config.pipeline_parallel_schedule == "ZBVZeroBubble" || overlaps_recomputed_experts(run)) return;
  out.add(run.config.pipeline_parallel_schedule, [&](Message& m) {
    m.say("the log will show loss -1: {} leaves the loss on the first rank, and the log is written by rank {}",
          *run.config.pipeline_parallel_schedule, run.world() / run.pp() * (run.pp() - 1));
    m.because("only the exact spelling ZBVZeroBubble moves the log to rank 0");
    m.help("metrics.save_for_all_ranks: true with TensorBoard keeps the loss of every rank");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT321",
      .name = "pipeline-schedule-unknown",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = schedule_class,
      .outcome = "torch stops (ValueError, AttributeError for null)",
      .summary = "pipeline_parallel_schedule is a schedule that torch knows.",
      .explanation = "Upper and lower case are equal. One stage a rank: 1F1B, GPipe. Two: Interleaved1F1B, "
                     "LoopedBFS, InterleavedZeroBubble, ZBVZeroBubble, DualPipeV. _PipelineScheduleRuntime is no "
                     "name here.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule: ZeroBubble\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_schedule: interleaved1f1b\n"}},
     schedule_unknown},
    {{.id = "TT322",
      .name = "pipeline-schedule-abstract",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = build_schedule,
      .outcome = "TorchTitan stops (TypeError), or the first step does",
      .summary = "PipelineScheduleSingle and PipelineScheduleMulti need a CSV file.",
      .explanation = "Both are base classes. With pipeline_parallel_schedule_csv their name decides only how many "
                     "stages a rank has.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule: PipelineScheduleMulti\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n  pipeline_parallel_schedule: GPipe\n"}},
     schedule_abstract},
    {{.id = "TT323",
      .name = "pipeline-schedule-csv-missing",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = build_schedule,
      .outcome = "TorchTitan stops (FileNotFoundError)",
      .summary = "pipeline_parallel_schedule_csv names a file, or is ''.",
      .explanation = "The file has to be there on every node and describe the PP ranks, the virtual stages and the "
                     "micro-batches of this run.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule_csv: /nonexistent/schedule.csv\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n  pipeline_parallel_schedule_csv: ''\n"}},
     schedule_csv_missing},
    {{.id = "TT328",
      .name = "zero-bubble-with-compile",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = "torch/distributed/pipelining/schedules.py:_check_torch_compile_compatibility",
      .outcome = "torch stops when it builds the schedule (RuntimeError)",
      .summary = "Zero-bubble schedules and DualPipeV do not run compiled stages.",
      .explanation = "They split the backward pass into two, which torch.compile does not. Primus's preset sets "
                     "compile.enable: true, so choosing such a schedule alone is enough to fail.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule: ZBVZeroBubble\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_schedule: ZBVZeroBubble\ncompile:\n  enable: false\n"}},
     zero_bubble_compiled},
    {{.id = "TT329",
      .name = "dualpipev-with-recompute",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/distributed/dual_pipe_v.py:get_dual_pipe_v_flag",
      .outcome = "TorchTitan stops (NotImplementedError)",
      .summary = "DualPipeV with expert parallelism goes with no activation checkpointing.",
      .explanation = "DualPipeV overlaps expert communication with the other direction's compute. Switch "
                     "activation checkpointing off, or the overlap with pipeline_parallel_expert_parallel_overlap: "
                     "false.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n  expert_parallel_degree: 4\n"
                      "  pipeline_parallel_schedule: DualPipeV\ncompile:\n  enable: false\n"
                      "activation_checkpoint:\n  mode: full\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n  expert_parallel_degree: 4\n"
                       "  pipeline_parallel_schedule: ZBVZeroBubble\ncompile:\n  enable: false\n"}},
     dual_pipe_with_recompute},
    {{.id = "TT330",
      .name = "pipeline-keys-without-pipeline",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/train.py:__init__",
      .outcome = "nobody reads the key",
      .summary = "pipeline_parallel_* keys have an effect only with pipeline_parallel_degree above 1.",
      .explanation = "Without PP not even the name of the schedule is looked at.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 1\n"
                      "  pipeline_parallel_schedule: Interleaved1F1B\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_schedule: Interleaved1F1B\n"}},
     pipeline_keys_ignored},
    {{.id = "TT331",
      .name = "pipeline-loss-not-logged",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/metrics.py:_get_metrics_rank",
      .outcome = "the run goes on; its log shows loss -1",
      .summary = "V schedules other than ZBVZeroBubble, spelled so, hide the loss from the log.",
      .explanation = "A V schedule ends on the first rank. The metrics look for the loss there only when "
                     "pipeline_parallel_schedule is exactly ZBVZeroBubble.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule: zbvzerobubble\ncompile:\n  enable: false\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_schedule: ZBVZeroBubble\ncompile:\n  enable: false\n"}},
     loss_not_shown},
};

}  // namespace

RuleList schedule_rules() { return rules; }

}  // namespace primus_plan::torchtitan
