#include "primus_plan/report/advise.h"

#include <fmt/core.h>

#include <memory>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/support/text.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::string hardware;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// The advice on one module; nothing, with the reasons told, when there is no run to estimate.
std::optional<std::string> answer(const Options& options, const Module& module, const Analysis& analysis,
                                  const Environment& environment, const GpuPart& part, const TextStyle& style) {
  const Backend* backend = find_backend(module.framework);
  if (backend == nullptr || module.params == nullptr || !module.is_run) {
    throw Trouble(fmt::format("module {} of framework {} is not checked here", module.name, module.framework));
  }
  if (analysis.errors > 0) {
    say_findings(analysis.path, analysis.findings, options.output);
    return std::nullopt;
  }
  const Trials trials(*backend, module, environment, analysis, &part.hardware);
  const auto now = trials.run({});
  if (!now || !now->estimate) {
    throw Trouble(
        fmt::format("module {}: the dimensions of its model are not known, so nothing can be estimated", module.name));
  }
  const Advice advice = advise(trials, *now, module);
  const AdviceReport report{analysis, advice, *now, fmt::format("{} ({})", part.hardware.name, part.source)};
  return options.output.format == "json" ? advice_to_json(report) : advice_to_text(report, style);
}

int run(const Options& options) {
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, {}, files, environment);
  const Setup& setup = setups.of(options.path);
  const LoadResult loaded = load_one(options.path, loader, setup.experiment, options.output);
  Output output = options.output.open({options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  std::vector<std::string> answers;
  bool all = true;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch(options.launch.options(), environment, experiment, setup.launch_setting(options.path));
    const GpuPart part = find_gpu_part(options.hardware, experiment, setup.settings, files);
    const std::vector<Analysis> analyses = analyze(experiment, launch, environment, options.launch.analyze_options());
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      if (auto text = answer(options, experiment.modules[i], analyses[i], environment, part, style)) {
        answers.push_back(*std::move(text));
      } else {
        all = false;
      }
    }
  }
  if (!answers.empty()) output.write(joined_answers(answers, options.output.format == "json"));
  output.finish();
  return all ? exit_clean : exit_findings;
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
