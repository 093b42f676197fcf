#include "primus_plan/report/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "answers.h"
#include "calibrate.h"
#include "command.h"
#include "one_run.h"
#include "primus_plan/run/workload.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::string hardware;
  std::vector<std::string> measured;
  bool dry_run = false;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// The estimate of one module; nothing, with the reasons told, when its run cannot be derived.
std::optional<std::string> answer(const Options& options, const Analysis& analysis, const Part& part,
                                  const TextStyle& style) {
  if (!analysis.is_judged) {
    throw Trouble(fmt::format("{}: module {} of framework {} is not estimated here", analysis.path, analysis.module,
                              analysis.framework));
  }
  if (analysis.workload == nullptr) {
    say_findings(analysis.path, analysis.findings, options.output);
    return std::nullopt;
  }
  const EstimateReport report{.analysis = analysis,
                              .estimate = estimate_run(*analysis.workload, part.get()),
                              .hardware = part.get(),
                              .hardware_source = part.from,
                              .calibration = part.calibration};
  return options.output.format == "json" ? estimate_to_json(report) : estimate_to_text(report, style);
}

/// Fits the part to what the first run of the experiment measured, and keeps that in the settings.
void calibrate(const Options& options, const OneRun& file, const std::vector<Analysis>& analyses, Part& part) {
  const auto found = std::ranges::find_if(analyses, [](const Analysis& a) { return a.workload != nullptr; });
  if (found == analyses.end()) {
    for (const Analysis& analysis : analyses) say_findings(analysis.path, analysis.findings, options.output);
    throw NotLoaded{};
  }
  if (!part.hardware) throw Trouble("--measured needs the part that was measured: name it with --hardware");
  const Fitted fitted = fit_measured(read_measured_flags(options.measured), *found, *part.hardware);
  std::optional<StoredCalibration> before;
  if (const auto& known = file.setup().settings->calibration) before = known->value;
  const StoredCalibration stored = store_calibration(fitted, before, options.path, file.files(), options.dry_run);
  part.hardware->calibration = stored.constants;
  part.calibration = calibration_text(stored);
}

int run(const Options& options) {
  if (options.dry_run && options.measured.empty()) throw Trouble("--dry-run goes with --measured");
  const OneRun file(options.path, options.experiment, options.output);
  Answers answers(options.output, options.path);
  AnalyzeOptions asked;
  asked.with_workload = true;
  for (const Experiment& experiment : file.experiments()) {
    Part part = find_part(options.hardware, experiment, file.setup().settings, file.files());
    const std::vector<Analysis> analyses = file.analyses(experiment, options.launch, asked);
    if (!options.measured.empty()) calibrate(options, file, analyses, part);
    for (const Analysis& analysis : analyses) {
      answers.add(answer(options, analysis, part, answers.style()), analysis.errors == 0);
    }
  }
  return answers.finish();
}

}  // namespace

Run declare_estimate(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  declare_hardware(app, options->hardware);
  app.add_option("--measured", options->measured,
                 "what a run of this experiment measured: tokens_per_second_per_gpu=N, memory_gib=N (of the fullest "
                 "GPU, as rocm-smi shows it); fits the estimates and keeps that in the nearest .primus-plan.yaml")
      ->type_name("NAME=N")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--dry-run", options->dry_run, "with --measured: print what would be written, and write nothing");
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
