#include "primus_plan/report/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "answers.h"
#include "command.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  Degrees degrees;
  std::int64_t rank = -1;
  bool has_degrees = false;
  bool all = false;
  bool picture = false;
  bool table = false;
  std::string by;
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
  const Launch launch = find_launch(options.launch.options(), loader.environment(), Pragma{});
  std::vector<std::pair<std::string, std::string>> overrides = backend->degree_overrides(options.degrees, launch);
  if (options.has_degrees && overrides.empty()) throw Trouble(fmt::format("{} cannot have these degrees", name));
  for (auto& set : overrides) experiment.sets.insert(experiment.sets.begin(), std::move(set));
  return loader.load_text("<degrees>", "{}\n", experiment);
}

/// What is shown of a layout. Throws Trouble for groups that it does not have.
LayoutView view_of(const Options& options, const RankLayout& layout, const TextStyle& style) {
  LayoutView view{.rank = {}, .all = options.all, .by = options.by};
  if (options.rank >= 0) view.rank = options.rank;
  view.picture = options.picture || !options.by.empty() || (style.wraps && !options.table);
  if (options.by.empty()) return view;
  std::vector<std::string_view> names;
  for (const GroupKind& kind : layout.groups) names.push_back(kind.name());
  const auto found = std::ranges::find(names, std::string_view(options.by));
  if (found == names.end()) {
    const auto nearest = nearest_names(options.by, names, 1);
    throw Trouble(fmt::format("--by {}: there are no such groups{}; there are {}", options.by,
                              nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest.front()),
                              join(names, ", ")));
  }
  return view;
}

/// Whether the run has the degrees of the flags: a backend may have no way to them at this launch.
bool has_asked_degrees(const Degrees& has, const Degrees& asked) {
  return has.tensor == asked.tensor && has.pipeline == asked.pipeline && has.context == asked.context &&
         has.expert == asked.expert && (asked.expert_tensor < 1 || has.expert_tensor == asked.expert_tensor);
}

/// The modules, as the settings let them be judged.
std::vector<Analysis> judge(const Options& options, const Setup& setup, const Experiment& experiment,
                            const Environment& environment) {
  const Launch launch =
      find_launch(options.launch.options(), environment, experiment, setup.launch_setting(options.path));
  std::vector<Analysis> out = analyze(experiment, launch, environment, {});
  apply_choice(out, setup.choice(options.path));
  return out;
}

/// Why degrees that no file gave make no layout. The model of the presets stands in for one that nobody named, so what
/// is wrong with that one, and ways out that go by it, are left out.
std::vector<Finding> faults_of_degrees(const Analysis& analysis, std::int64_t smallest_world) {
  std::vector<Finding> out;
  for (const Finding& finding : analysis.findings) {
    const auto is_given = [](const Label& label) { return is_written(label.origin); };
    if (!is_given(finding.primary) || !std::ranges::all_of(finding.related, is_given)) continue;
    out.push_back(finding);
    out.back().help.clear();
    out.back().fixes.clear();
  }
  const std::int64_t world = analysis.run.launch.world_size;
  if (out.empty()) return analysis.findings;
  if (smallest_world < 1 || smallest_world > largest_launch || world % smallest_world == 0) return out;
  const std::int64_t below = world - world % smallest_world;
  const std::int64_t above = std::min(below + smallest_world, largest_launch);
  out.front().help.push_back(below > 0 ? fmt::format("the degrees divide {} and {} ranks", below, above)
                                       : fmt::format("the degrees need {} ranks", smallest_world));
  return out;
}

/// The layout of one module; nothing, with the reasons told, when its ranks cannot be placed.
std::optional<std::string> layout_answer(const Options& options, const Module& module, const Analysis& analysis,
                                         const Environment& environment, const TextStyle& style) {
  const auto prepared = prepare(module, environment);
  if (prepared == nullptr) {
    throw Trouble(fmt::format("module {} of framework {} is not checked here", module.name, module.framework));
  }
  const Launch& launch = analysis.run.launch;
  const RankLayout layout = analysis.run.degrees.data > 0 ? prepared->layout(launch) : RankLayout{};
  if (!layout.is_placed()) {
    say_findings(analysis.path,
                 options.path.empty() ? faults_of_degrees(analysis, prepared->smallest_world()) : analysis.findings,
                 options.output);
    return std::nullopt;
  }
  if (options.has_degrees && !has_asked_degrees(analysis.run.degrees, options.degrees)) {
    throw Trouble(fmt::format("{} cannot have these degrees with {} on nodes of {}", module.framework,
                              counted(layout.world_size, "rank"), launch.gpus_per_node));
  }
  if (options.rank >= layout.world_size) {
    throw Trouble(fmt::format("rank {} is not among the {} 0 to {}", options.rank, counted(layout.world_size, "rank"),
                              layout.world_size - 1));
  }
  const LayoutView view = view_of(options, layout, style);
  // Degrees without a file are no run: what a batch would be is nobody's question.
  if (analysis.errors > 0 && !options.path.empty() && !options.output.quiet) {
    say(fmt::format("primus-plan: {}: this run will not start: {}; primus-plan check says why\n",
                    escape_controls(analysis.path), counted(static_cast<std::int64_t>(analysis.errors), "error")));
  }
  return options.output.format == "json" ? layout_to_json(layout, view) : layout_to_text(layout, view, style);
}

int run(const Options& options) {
  if (!options.path.empty() && options.has_degrees) {
    throw Trouble("--tp, --pp, --cp, --ep and --etp are for a layout without a FILE; use --set to change a FILE's");
  }
  const bool draws = options.picture || !options.by.empty();
  if (draws && options.table) throw Trouble("--picture and --by draw what --table lists; leave one out");
  if (draws && options.output.format == "json") throw Trouble("--picture and --by are for text, not for JSON");
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
  Answers answers(options.output, options.path);
  for (const Experiment& experiment : loaded.experiments) {
    const std::vector<Analysis> analyses = judge(options, setup, experiment, environment);
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      answers.add(layout_answer(options, experiment.modules[i], analyses[i], environment, answers.style()),
                  analyses[i].errors == 0 || options.path.empty());
    }
  }
  return answers.finish();
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
  static constexpr std::array<Degree, 5> degrees{
      {{"--tp", &Degrees::tensor, "tensor parallel, without a FILE"},
       {"--pp", &Degrees::pipeline, "pipeline parallel, without a FILE"},
       {"--cp", &Degrees::context, "context parallel, without a FILE"},
       {"--ep", &Degrees::expert, "expert parallel, without a FILE"},
       {"--etp", &Degrees::expert_tensor, "expert tensor parallel, without a FILE"}}};
  options->degrees.expert_tensor = 0;
  for (const Degree& degree : degrees) {
    app.add_option(degree.flag, options->degrees.*degree.member, degree.what)
        ->type_name("N")
        ->check(whole_number(1, largest_launch));
  }
  app.add_option("--rank", options->rank, "only this rank: its coordinates and its peers")
      ->type_name("N")
      ->check(whole_number(0, largest_launch - 1));
  app.add_flag("--all", options->all, "every node and every group");
  app.add_flag("--picture", options->picture, "nodes and GPUs as a grid with coordinates (what a terminal gets)");
  app.add_flag("--table", options->table, "nodes as rows of a table (what a file or a pipe gets)");
  app.add_option("--by", options->by, "the picture with these groups told apart: tp, pp, dp, ep, cp …")
      ->type_name("GROUPS");
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options, &app] {
    for (const Degree& degree : degrees) options->has_degrees = options->has_degrees || app.count(degree.flag) > 0;
    return run(*options);
  };
}

}  // namespace primus_plan::app
