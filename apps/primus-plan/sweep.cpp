#include "primus_plan/report/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "one_run.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/support/number.h"
#include "search_watch.h"
#include "sweep_axes.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::vector<std::string> over;
  std::string hardware;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

std::string answer(const Options& options, const SweepReport& report, const TextStyle& style) {
  if (options.output.format == "csv") return sweep_to_csv(report);
  return options.output.format == "json" ? sweep_to_json(report) : sweep_to_text(report, style);
}

/// Ends with the points so far at an interrupt.
Sweep sweep_points(const Options& options, const Trials& trials, const std::vector<SweepAxis>& axes,
                   const Interrupts& interrupts) {
  SearchWatch watch(&interrupts, {.noun = "point", .talks = !options.output.quiet});
  Sweep sweep = run_sweep(trials, axes, watch.control());
  if (!sweep.complete)
    watch.tell_end(
        fmt::format("only the first {} were tried", counted(static_cast<std::int64_t>(sweep.points.size()), "point")));
  return sweep;
}

int run(const Options& options) {
  const std::vector<SweepAxis> axes = read_axes(options.over);
  const OneRun file(options.path, options.experiment, options.output);
  Output output = options.output.open({options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  std::vector<std::string> answers;
  bool any_legal = false;
  const Interrupts interrupts(Interrupts::Second::ends_the_program);
  file.each_module(options.launch, options.hardware, [&](const RunOfFile& run) {
    if (interrupts.seen()) return;  // in the module before
    const Sweep sweep = sweep_points(
        options, {run.backend, run.module, file.environment(), run.analysis, &run.part.hardware}, axes, interrupts);
    any_legal = any_legal || std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return p.letter == 0; });
    answers.push_back(answer(options, {run.analysis, sweep, run.part.source}, style));
  });
  output.write(joined_answers(answers, options.output.format == "json"));
  output.finish();
  return any_legal ? exit_clean : exit_findings;
}

}  // namespace

Run declare_sweep(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  app.add_option("--over", options->over,
                 "an axis: one of " + short_names_text() +
                     ", or any key; VALUES is a list (1,2,4), A:B (doubling) or A:B:STEP (adding)")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false)
      ->required();
  declare_hardware(app, options->hardware);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "csv", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
