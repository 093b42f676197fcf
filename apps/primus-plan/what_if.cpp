#include "primus_plan/report/what_if.h"

#include <algorithm>
#include <memory>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/backends/analyze.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// The analyses of a file's modules, with the loaded experiments that they point into.
struct Judged {
  LoadResult loaded;
  std::vector<Analysis> modules;
};

Judged judge(const Options& options, const ExperimentOptions& experiment, const LaunchOptions& launch,
             const Loader& loader) {
  Judged out{load_one(options.path, loader, experiment, options.output), {}};
  for (const Experiment& one : out.loaded.experiments) {
    for (Analysis& analysis : analyze(one, find_launch(launch, loader.environment(), one), loader.environment(),
                                      options.launch.analyze_options())) {
      out.modules.push_back(std::move(analysis));
    }
  }
  return out;
}

int run(const Options& options) {
  if (options.path == "-") throw Trouble("what-if reads its file twice: give a path");
  const DiskFiles files;
  const Loader loader(files, options.experiment.make_environment());
  ExperimentOptions unchanged = options.experiment.options();
  unchanged.sets.clear();
  unchanged.tokens.clear();
  const Judged before = judge(options, unchanged, {}, loader);
  const Judged after = judge(options, options.experiment.options(), options.launch.options(), loader);

  Output output = options.output.open();
  const TextStyle style = options.output.style(output.is_terminal());
  bool errors = false;
  for (std::size_t i = 0; i < std::min(before.modules.size(), after.modules.size()); ++i) {
    const Change change{before.modules[i], after.modules[i]};
    output.write(options.output.format == "json" ? change_to_json(change) : change_to_text(change, style));
    errors = errors || change.after.errors > 0;
  }
  output.finish();
  return errors ? exit_findings : exit_clean;
}

}  // namespace

Run declare_what_if(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment; --set, the launch flags and the tokens after -- are the change")
      ->required();
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
