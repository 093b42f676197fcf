#include "primus_plan/report/advise.h"

#include <fmt/core.h>

#include <memory>

#include "answers.h"
#include "command.h"
#include "one_run.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::string hardware;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// Why there is no advice on a run, which other modules of the file need not share; empty when there is some.
std::string reason_against(const std::optional<Trial>& now) {
  if (now && now->analysis.errors > 0) {
    return fmt::format("this run will not start, for {} that the settings or a comment ignore",
                       counted(static_cast<std::int64_t>(now->analysis.errors), "error"));
  }
  return now && now->estimate ? "" : "the dimensions of its model are not known, so nothing can be estimated";
}

/// The advice on one module; nothing, with the reasons told, when there is no run to estimate.
std::optional<std::string> answer(const Options& options, const RunOfFile& run, const Environment& environment,
                                  const TextStyle& style) {
  if (run.analysis.errors > 0) {
    say_findings(run.analysis.path, run.analysis.findings, options.output);
    return std::nullopt;
  }
  const Trials trials(run.backend, run.module, environment, run.analysis, &run.part.hardware);
  const auto now = trials.run({});
  if (const std::string reason = reason_against(now); !reason.empty()) {
    say(fmt::format("primus-plan: module {}: {}\n", escape_controls(run.module.name), reason));
    return std::nullopt;
  }
  const Advice advice = advise(trials, *now, run.module);
  const AdviceReport report{run.analysis, advice, *now,
                            fmt::format("{} ({})", run.part.hardware.name, run.part.source)};
  return options.output.format == "json" ? advice_to_json(report) : advice_to_text(report, style);
}

int run(const Options& options) {
  const OneRun file(options.path, options.experiment, options.output);
  Answers answers(options.output, options.path);
  file.each_module(options.launch, options.hardware, [&](const RunOfFile& module) {
    answers.add(answer(options, module, file.environment(), answers.style()));
  });
  return answers.finish();
}

}  // namespace

Run declare_advise(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  declare_hardware(app, options->hardware);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
