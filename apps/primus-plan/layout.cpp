#include "primus_plan/report/layout.h"

#include <fmt/core.h>

#include <array>
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
  Degrees degrees;
  std::int64_t rank = -1;
  bool all = false;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// Without a file: a snippet with the asked degrees in the backend's own keys.
LoadResult load_degrees(const Options& options, const Loader& loader) {
  const std::string name = options.experiment.backend.empty() ? "megatron" : options.experiment.backend;
  const Backend* backend = find_backend(name);
  if (backend == nullptr) throw Trouble(fmt::format("no checker for backend {}", name));
  ExperimentOptions experiment = options.experiment.options();
  experiment.backend = name;
  for (auto& set : backend->degree_overrides(options.degrees))
    experiment.sets.insert(experiment.sets.begin(), std::move(set));
  return loader.load_text("<degrees>", "{}\n", experiment);
}

int run(const Options& options) {
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, {}, files, environment);
  const Setup& setup = setups.of(options.path);
  const LoadResult loaded = options.path.empty() ? load_degrees(options, loader)
                                                 : load_one(options.path, loader, setup.experiment, options.output);
  if (loaded.experiments.empty()) {
    say_findings("<degrees>", loaded.errors, options.output);
    return exit_findings;
  }
  Output output = options.output.open();
  const TextStyle style = options.output.style(output.is_terminal());
  int code = exit_clean;
  for (const Experiment& experiment : loaded.experiments) {
    for (const Module& module : experiment.modules) {
      const auto prepared = prepare(module, environment);
      if (prepared == nullptr) {
        throw Trouble(fmt::format("module {} of framework {} is not checked here", module.name, module.framework));
      }
      const Launch launch = settle_launch(*prepared, find_launch(options.launch.options(), environment, experiment,
                                                                 setup.launch_setting(options.path)));
      const Analysis analysis = prepared->decide(launch, {});
      if (analysis.run.degrees.data <= 0) {
        say_findings(experiment.path, analysis.findings, options.output);
        code = exit_findings;
        continue;
      }
      if (options.rank >= launch.world_size) {
        throw Trouble(fmt::format("rank {} is not among the {} ranks 0 to {}", options.rank, launch.world_size,
                                  launch.world_size - 1));
      }
      const RankLayout layout = prepared->layout(launch);
      LayoutView view{.rank = {}, .all = options.all};
      if (options.rank >= 0) view.rank = options.rank;
      output.write(options.output.format == "json" ? layout_to_json(layout, view)
                                                   : layout_to_text(layout, view, style));
    }
  }
  output.finish();
  return code;
}

}  // namespace

Run declare_layout(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input; none: the degrees below");
  struct Degree {
    const char* flag;
    std::int64_t Degrees::*member;
    const char* what;
  };
  constexpr std::array<Degree, 5> degrees{
      {{"--tp", &Degrees::tensor, "tensor parallel, without a FILE"},
       {"--pp", &Degrees::pipeline, "pipeline parallel, without a FILE"},
       {"--cp", &Degrees::context, "context parallel, without a FILE"},
       {"--ep", &Degrees::expert, "expert parallel, without a FILE"},
       {"--etp", &Degrees::expert_tensor, "expert tensor parallel, without a FILE"}}};
  options->degrees.expert_tensor = 0;
  for (const Degree& degree : degrees) {
    app.add_option(degree.flag, options->degrees.*degree.member, degree.what)
        ->type_name("N")
        ->check(CLI::Range(1, 1 << 20));
  }
  app.add_option("--rank", options->rank, "only this rank: its coordinates and its peers")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--all", options->all, "every node and every group");
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
