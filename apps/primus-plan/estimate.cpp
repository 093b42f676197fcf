#include "primus_plan/report/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "calibrate.h"
#include "command.h"
#include "load_one.h"
#include "options.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/estimate/calibration.h"
#include "primus_plan/run/workload.h"
#include "setup.h"

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
                                  const TextStyle& style, const std::optional<StoredCalibration>& stored) {
  if (!analysis.is_judged) {
    throw Trouble(fmt::format("{}: module {} of framework {} is not estimated here", analysis.path, analysis.module,
                              analysis.framework));
  }
  if (analysis.workload == nullptr) {
    say_findings(analysis.path, analysis.findings, options.output);
    return std::nullopt;
  }
  const Hardware* hardware = part.get();
  const bool applies = stored && hardware != nullptr && stored->hardware == hardware->name;
  const EstimateReport report{
      .analysis = analysis,
      .estimate = estimate_calibrated(*analysis.workload, hardware, applies ? stored->constants : Calibration{}),
      .hardware = hardware,
      .hardware_source = part.from,
      .calibration = applies ? calibration_text(*stored) : std::string()};
  return options.output.format == "json" ? estimate_to_json(report) : estimate_to_text(report, style);
}

/// The first run of the experiment that --measured can speak of.
Fitted calibrate(const Options& options, const std::vector<Analysis>& analyses, const Part& part) {
  const auto found = std::ranges::find_if(analyses, [](const Analysis& a) { return a.workload != nullptr; });
  if (found == analyses.end()) {
    for (const Analysis& analysis : analyses) say_findings(analysis.path, analysis.findings, options.output);
    throw NotLoaded{};
  }
  if (!part.hardware) throw Trouble("--measured needs the part that was measured: name it with --hardware");
  return fit_measured(read_measured_flags(options.measured), *found, *part.hardware);
}

int run(const Options& options) {
  if (options.dry_run && options.measured.empty()) throw Trouble("--dry-run goes with --measured");
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, {}, files, environment);
  setups.use_baseline(false);
  const Setup& setup = setups.of(options.path);
  const LoadResult loaded = load_one(options.path, loader, setup.experiment, options.output);
  Output output = options.output.open({options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  AnalyzeOptions asked = options.launch.analyze_options();
  asked.with_workload = true;
  std::vector<std::string> answers;
  bool estimated = true;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch(options.launch.options(), environment, experiment, setup.launch_setting(options.path));
    const Part part = find_part(options.hardware, experiment, setup.settings, files);
    const std::vector<Analysis> analyses = analyze_nodes(experiment, launch, environment, asked);
    std::optional<StoredCalibration> stored = find_calibration(options.path, files);
    if (!options.measured.empty()) {
      stored = store_calibration(calibrate(options, analyses, part), stored, options.path, files, options.dry_run);
    }
    for (const Analysis& analysis : analyses) {
      if (auto text = answer(options, analysis, part, style, stored)) {
        answers.push_back(*std::move(text));
      } else {
        estimated = false;
      }
    }
  }
  if (!answers.empty()) output.write(joined_answers(answers, options.output.format == "json"));
  output.finish();
  return estimated ? exit_clean : exit_findings;
}

}  // namespace

Run declare_estimate(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  app.add_option("--hardware", options->hardware,
                 "the GPU: MI300X, MI300X:nic_gbs=25 (changed numbers), or a file; else what the path or comments name")
      ->type_name("PART");
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
