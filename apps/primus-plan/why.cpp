#include "primus_plan/report/why.h"

#include <fmt/core.h>

#include <memory>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/support/text.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::string key;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

[[noreturn]] void refuse_key(const Options& options, const std::vector<std::string>& nearest) {
  const std::string hint = nearest.empty() ? std::string() : fmt::format("; did you mean {}?", join(nearest, ", "));
  throw Trouble(fmt::format("{} sets no key {}{}", options.path, options.key, hint));
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
  std::string text;
  std::vector<std::string> nearest;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch(options.launch.options(), environment, experiment, setup.launch_setting(options.path));
    const std::vector<Analysis> analyses = analyze(experiment, launch, environment, options.launch.analyze_options());
    for (const FoundKey& found : find_key(experiment, analyses, options.key)) text += why_to_text(found, style);
    if (nearest.empty()) nearest = nearest_keys(experiment, analyses, options.key);
  }
  if (text.empty()) refuse_key(options, nearest);
  output.write(text);
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_why(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  app.add_option("KEY", options->key, "a key; dots reach into mappings, module.key names one module's")->required();
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
