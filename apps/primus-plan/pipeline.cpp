#include <fmt/core.h>

#include <charconv>
#include <memory>
#include <optional>

#include "answers.h"
#include "command.h"
#include "one_run.h"
#include "options.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/planner/axes.h"
#include "primus_plan/report/timeline.h"
#include "primus_plan/run/workload.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

constexpr std::int64_t most_micro_batches = 1'000'000;

struct Options {
  std::string path;
  std::string hardware;
  std::string schedule;
  std::int64_t micro_batches = 0;
  std::optional<double> from_ms;
  std::optional<double> to_ms;
  bool memory = false;
  bool all = false;
  bool whole = false;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// A run's timeline on a part, with what it was changed by.
struct Played {
  RunTimeline timeline;
  std::vector<std::string> notes;
};

/// The workload with what --schedule and --micro-batches change. Throws Trouble for what does not fit.
Workload changed(const Options& options, const Workload& given, std::vector<std::string>& notes) {
  Workload out = given;
  const std::int64_t before = given.run.batch.micro_batches_between_flushes();
  if (options.micro_batches > 0) {
    set_micro_batches(out, options.micro_batches);
    notes.push_back(one_is_singular(fmt::format("what if: {} micro-batches for {}, a global batch of {}",
                                                with_commas(options.micro_batches), with_commas(before),
                                                with_commas(out.run.batch.global))));
  }
  const std::int64_t micro_batches = out.run.batch.micro_batches_between_flushes();
  if (!options.schedule.empty()) {
    const ScheduleKind schedule = *find_schedule(options.schedule);
    const std::string refusal = refuse_schedule(out, schedule, micro_batches);
    if (!refusal.empty()) throw Trouble(fmt::format("--schedule {}: {}", options.schedule, refusal));
    notes.push_back(fmt::format("what if: schedule {} for {}", schedule_name(schedule), schedule_name(given.schedule)));
    set_schedule(out, schedule);
  } else if (options.micro_batches > 0 && out.run.degrees.pipeline > 1) {
    const std::string refusal = refuse_schedule(out, out.schedule, micro_batches);
    if (!refusal.empty()) throw Trouble(fmt::format("--micro-batches {}: {}", options.micro_batches, refusal));
  }
  return out;
}

Played play(const Options& options, const Workload& given, const Hardware& hardware) {
  Played out;
  const Workload workload = changed(options, given, out.notes);
  out.timeline = run_timeline(workload, hardware);
  if (out.timeline.played != workload.schedule && workload.run.degrees.pipeline > 1 &&
      !out.timeline.pipeline.busy.empty()) {
    out.notes.push_back(fmt::format("{} cannot be played on these stages; {} is shown",
                                    schedule_name(workload.schedule), schedule_name(out.timeline.played)));
  }
  return out;
}

TimelineView view_of(const Options& options, const Hardware& hardware) {
  TimelineView view{
      .memory = options.memory, .all = options.all, .whole = options.whole, .capacity_bytes = hardware.memory_bytes};
  if (options.from_ms) view.from = *options.from_ms / 1000;
  if (options.to_ms) view.to = *options.to_ms / 1000;
  return view;
}

/// The timeline of one module; nothing, with the reasons told, when its run cannot be derived.
std::optional<std::string> answer(const Options& options, const Analysis& analysis, const GpuPart& part,
                                  const TextStyle& style) {
  if (!analysis.is_judged) {
    throw Trouble(fmt::format("{}: module {} of framework {} is not estimated here", analysis.path, analysis.module,
                              analysis.framework));
  }
  if (analysis.workload == nullptr) {
    say_findings(analysis.path, analysis.findings, options.output);
    return std::nullopt;
  }
  const Played played = play(options, *analysis.workload, part.hardware);
  if (played.timeline.pipeline.busy.empty()) {
    if (analysis.errors > 0) {
      say_findings(analysis.path, analysis.findings, options.output);
      return std::nullopt;
    }
    const std::string reason = reason_without_step(*analysis.workload, part.hardware);
    throw Trouble(fmt::format(
        "{}: no timeline for module {}: {}", analysis.path, analysis.module,
        reason.empty() ? fmt::format("it has more than {} stages and chunks", most_simulated_stages) : reason));
  }
  const TimelineReport report{.analysis = analysis,
                              .timeline = played.timeline,
                              .hardware = part.hardware,
                              .hardware_source = part.source,
                              .notes = played.notes};
  return options.output.format == "json" ? timeline_to_json(report)
                                         : timeline_to_text(report, view_of(options, part.hardware), style);
}

int run(const Options& options) {
  if (options.from_ms && options.to_ms && *options.from_ms >= *options.to_ms) {
    throw Trouble("--from must be before --to");
  }
  if (options.whole && (options.from_ms || options.to_ms)) {
    throw Trouble("--whole draws all the time, --from and --to a part of it; leave one out");
  }
  const OneRun file(options.path, options.experiment, options.output);
  Answers answers(options.output, options.path);
  AnalyzeOptions asked;
  asked.with_workload = true;
  for (const Experiment& experiment : file.experiments()) {
    const GpuPart part = find_gpu_part(options.hardware, experiment, file.setup().settings, file.files());
    for (const Analysis& analysis : file.analyses(experiment, options.launch, asked)) {
      answers.add(answer(options, analysis, part, answers.style()), analysis.errors == 0);
    }
  }
  return answers.finish();
}

}  // namespace

Run declare_pipeline(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  declare_hardware(app, options->hardware);
  app.add_option("--schedule", options->schedule,
                 "what if the run took another schedule: " + value_help(PlanAxis::schedule))
      ->type_name("NAME")
      ->check(CLI::Validator(
          [](const std::string& name) {
            return find_schedule(name)
                       ? std::string()
                       : fmt::format("must be one of {}, not '{}'", value_help(PlanAxis::schedule), name);
          },
          ""));
  app.add_option("--micro-batches", options->micro_batches, "what if so many micro-batches made a step")
      ->type_name("N")
      ->check(whole_number(1, most_micro_batches));
  app.add_flag("--memory", options->memory, "a line of memory over time below each stage");
  app.add_option("--from", options->from_ms, "draw from this millisecond on")
      ->type_name("MS")
      ->check(real_number(0, 1e12, "milliseconds"));
  app.add_option("--to", options->to_ms, "draw up to this millisecond")
      ->type_name("MS")
      ->check(real_number(0, 1e12, "milliseconds"));
  app.add_flag("--whole", options->whole, "all the time in one piece, also where most of it is alike");
  app.add_flag("--all", options->all, "every stage of very many");
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
