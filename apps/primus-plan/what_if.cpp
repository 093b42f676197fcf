#include "primus_plan/report/what_if.h"

#include <algorithm>
#include <memory>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/backends/analyze.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  ChoiceFlags choice;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// The analyses of a file's modules, with the loaded experiments that they point into.
struct Judged {
  LoadResult loaded;
  std::vector<Analysis> modules;
};

Judged judge(const Options& options, const GivenFile& file, const ExperimentOptions& experiment,
             const LaunchOptions& launch, const Setup& setup, const Loader& loader) {
  Judged out{load_given(file, loader, experiment, options.output), {}};
  for (const Experiment& one : out.loaded.experiments) {
    const Launch size = find_launch(launch, loader.environment(), one, setup.launch_setting(options.path));
    for (Analysis& analysis : analyze(one, size, loader.environment(), options.launch.analyze_options())) {
      out.modules.push_back(std::move(analysis));
    }
  }
  apply_choice(out.modules, setup.choice(options.path));
  return out;
}

int run(const Options& options) {
  const LaunchOptions launch = options.launch.options();
  const ExperimentOptions changed = options.experiment.options();
  const bool launches = launch.world_size || launch.nodes || launch.gpus_per_node;
  if (!launches && changed.sets.empty() && changed.tokens.empty()) {
    throw Trouble("no change given: use --set KEY=VALUE, --world-size, --nodes, or Primus's overrides after --");
  }
  const GivenFile file = open_given(options.path);
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, options.choice, files, environment);
  const Setup& setup = setups.of(options.path);
  ExperimentOptions unchanged = setup.experiment;
  unchanged.sets.clear();
  unchanged.tokens.clear();
  const Judged before = judge(options, file, unchanged, {}, setup, loader);
  const Judged after = judge(options, file, setup.experiment, launch, setup, loader);

  Output output = options.output.open({options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  const bool json = options.output.format == "json";
  std::vector<std::string> answers;
  bool errors = false;
  for (std::size_t i = 0; i < std::min(before.modules.size(), after.modules.size()); ++i) {
    const Change change{before.modules[i], after.modules[i]};
    answers.push_back(json ? change_to_json(change) : change_to_text(change, style));
    errors = errors || change.after.errors > 0;
  }
  output.write(joined_answers(answers, json));
  output.finish();
  return errors ? exit_findings : exit_clean;
}

}  // namespace

Run declare_what_if(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment; --set, the launch flags and the tokens after -- are the change")
      ->required();
  options->choice.declare(app);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
