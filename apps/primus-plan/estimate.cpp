#include "primus_plan/report/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/run/workload.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::string hardware;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// The part that estimates are made for, and why this one.
struct Part {
  std::optional<Hardware> hardware;
  std::string from;
};

/// --hardware, else what the experiment's path or comments speak of, else none.
Part find_part(const Options& options, const Experiment& experiment, const FileReader& files) {
  if (!options.hardware.empty()) return {find_hardware(options.hardware, files), "--hardware " + options.hardware};
  std::string_view text;
  for (const auto& source : experiment.sources) {
    if (source->path() == experiment.path) text = source->text();
  }
  const auto hint = guess_hardware(experiment.path, text);
  if (!hint) return {};
  return {find_hardware(hint->name, files), "taken from " + hint->from};
}

/// The estimate of one module; nothing, with the reasons told, when its run cannot be derived.
std::optional<std::string> answer(const Options& options, const Analysis& analysis, const Part& part,
                                  const TextStyle& style) {
  if (analysis.workload == nullptr) {
    say_findings(analysis.path, analysis.findings, options.output);
    return std::nullopt;
  }
  const Hardware* hardware = part.hardware ? &*part.hardware : nullptr;
  const EstimateReport report{.analysis = analysis,
                              .estimate = estimate_run(*analysis.workload, hardware, {.simulate = true}),
                              .hardware = hardware,
                              .hardware_source = part.from};
  return options.output.format == "json" ? estimate_to_json(report) : estimate_to_text(report, style);
}

std::size_t errors_of(const std::vector<Analysis>& analyses) {
  std::size_t out = 0;
  for (const Analysis& analysis : analyses) out += analysis.errors;
  return out;
}

/// The modules at the launch, or at whole nodes where nobody gave a size: one GPU of a node tells little of a run.
std::vector<Analysis> analyze_nodes(const Experiment& experiment, const Launch& launch, const Environment& environment,
                                    const AnalyzeOptions& asked) {
  if (launch.world_size > 0) return analyze(experiment, launch, environment, asked);
  std::int64_t least = 1;
  for (const Module& module : experiment.modules) {
    if (const auto prepared = prepare(module, environment)) least = std::max(least, prepared->smallest_world());
  }
  const std::int64_t node = std::max<std::int64_t>(launch.gpus_per_node, 1);
  const Launch nodes = assume_launch(std::max(least, node), node);
  std::vector<Analysis> out = analyze(experiment, nodes, environment, asked);
  if (errors_of(out) == 0) return out;
  std::vector<Analysis> smallest = analyze(experiment, launch, environment, asked);
  return errors_of(smallest) < errors_of(out) ? smallest : out;
}

int run(const Options& options) {
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  const LoadResult loaded = load_one(options.path, loader, options.experiment.options(), options.output);
  Output output = options.output.open({options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  AnalyzeOptions asked = options.launch.analyze_options();
  asked.with_workload = true;
  std::vector<std::string> answers;
  bool estimated = true;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch = find_launch(options.launch.options(), environment, experiment);
    const Part part = find_part(options, experiment, files);
    for (const Analysis& analysis : analyze_nodes(experiment, launch, environment, asked)) {
      if (auto text = answer(options, analysis, part, style)) {
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
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
