#include "primus_plan/report/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/diagnostics/load_error.h"
#include "revision.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path_a;
  std::string path_b;
  std::vector<std::string> sets_b;
  std::int64_t world_size_b = 0;
  std::int64_t nodes_b = 0;
  std::string hardware;
  bool exit_code = false;
  ChoiceFlags choice;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// A side's modules with all that the comparison reads; addresses stay.
struct Side {
  std::string name;
  LoadResult loaded;
  std::vector<Analysis> analyses;
  std::vector<const Module*> modules;
  std::vector<std::optional<Estimate>> estimates;
  std::vector<std::optional<RankLayout>> layouts;

  ComparedRun run(std::size_t i) const {
    return {analyses[i], *modules[i], estimates[i] ? &*estimates[i] : nullptr, layouts[i] ? &*layouts[i] : nullptr};
  }
};

/// The folder of the presets of an experiment; empty for those inside the program, and where it cannot be found: then
/// loading says why.
std::string preset_folder(const ExperimentOptions& options, const std::string& path, const Environment& environment,
                          const FileReader& files) {
  try {
    const PresetRoot root = find_preset_root(options.primus_root, path, environment, files);
    return root.folder.empty() ? std::string() : root.folder + "/configs";
  } catch (const LoadError&) {
    return {};
  }
}

std::optional<RankLayout> layout_of(const Module& module, const Analysis& analysis, const Environment& environment) {
  const auto prepared = prepare(module, environment);
  if (prepared == nullptr || analysis.errors > 0 || analysis.run.degrees.data <= 0) return std::nullopt;
  RankLayout layout = prepared->layout(analysis.run.launch);
  if (!layout.is_placed()) return std::nullopt;
  return layout;
}

class Differ {
 public:
  explicit Differ(const Options& options)
      : options_(options),
        environment_(options.experiment.make_environment()),
        loader_(files_, environment_),
        setups_(options.experiment, options.choice, files_, environment_) {}

  /// `assumed`: see analyze_nodes.
  Side read(const std::string& name, bool is_second, std::int64_t assumed = 0) {
    Side side{.name = name, .loaded = {}, .analyses = {}, .modules = {}, .estimates = {}, .layouts = {}};
    const std::optional<AtRevision> at = split_revision(name);
    const std::string path = at ? at->path : name;
    const Setup& setup = setups_.of(path);
    ExperimentOptions experiment = setup.experiment;
    LaunchOptions launch = options_.launch.options();
    if (is_second) {
      ExperimentFlags flags = options_.experiment;
      flags.sets = options_.sets_b;
      flags.sets_name = "--set-b";
      experiment.sets = flags.options().sets;
      experiment.sets_name = flags.sets_name;
      if (options_.world_size_b > 0) launch.world_size = options_.world_size_b;
      if (options_.nodes_b > 0) launch.nodes = options_.nodes_b;
    }
    side.loaded = at ? load_at(*at, experiment) : load_given(opened(path), loader_, experiment, options_.output);
    AnalyzeOptions asked;
    asked.with_workload = true;
    for (const Experiment& one : side.loaded.experiments) {
      if (!part_) part_ = find_gpu_part(options_.hardware, one, setup.settings, files_);
      const Launch size = find_launch(launch, environment_, one, setup.launch_setting(path));
      for (Analysis& analysis : analyze_nodes(one, size, environment_, asked, assumed))
        side.analyses.push_back(std::move(analysis));
      for (const Module& module : one.modules) side.modules.push_back(&module);
    }
    apply_choice(side.analyses, setup.choice(path));
    for (std::size_t i = 0; i < side.analyses.size(); ++i) {
      const Analysis& analysis = side.analyses[i];
      auto& estimate = side.estimates.emplace_back();
      if (analysis.workload != nullptr && analysis.errors == 0 && !analysis.workload->model.kinds.empty()) {
        estimate = estimate_run(*analysis.workload, &part_->hardware);
      }
      side.layouts.push_back(layout_of(*side.modules[i], analysis, environment_));
    }
    return side;
  }

  std::string hardware() const { return fmt::format("{} ({})", part_->hardware.name, part_->source); }

 private:
  /// Each is opened once: a stream has one reading.
  const GivenFile& opened(const std::string& path) {
    const auto known = files_opened_.find(path);
    return known != files_opened_.end() ? known->second : files_opened_.emplace(path, open_given(path)).first->second;
  }

  /// The experiment and what it extends, as the revision has them; presets as they are now.
  LoadResult load_at(const AtRevision& at, const ExperimentOptions& experiment) {
    const RevisionFiles files(at, preset_folder(experiment, at.path, environment_, files_), files_);
    const Loader loader(files, environment_);
    ReadFailure failure;
    const std::optional<std::string> text = files.read(at.path, failure);
    if (!text) throw Trouble(fmt::format("cannot read {}@{}: {}", at.path, at.spelled, failure.reason));
    return load_given({at.path, text}, loader, experiment, options_.output);
  }

  const Options& options_;
  DiskFiles files_;
  Environment environment_;
  Loader loader_;
  Setups setups_;
  std::map<std::string, GivenFile> files_opened_;
  std::optional<GpuPart> part_;  ///< one for both: the difference is the experiments'
};

int run(const Options& options) {
  if (options.path_b.empty() && options.sets_b.empty() && options.world_size_b == 0 && options.nodes_b == 0) {
    throw Trouble("nothing to compare with: give a second FILE, or --set-b, --world-size-b or --nodes-b");
  }
  if (options.path_a == "-" && (options.path_b.empty() || options.path_b == "-")) {
    throw Trouble("standard input can be read only once");
  }
  Differ differ(options);
  const std::string& path_b = options.path_b.empty() ? options.path_a : options.path_b;
  Side a = differ.read(options.path_a, false);
  Side b = differ.read(path_b, true);
  if (const std::int64_t world = common_world(a.analyses, b.analyses); world > 0) {
    Side both_a = differ.read(options.path_a, false, world);
    Side both_b = differ.read(path_b, true, world);
    if (errors_of(both_a.analyses) <= errors_of(a.analyses) && errors_of(both_b.analyses) <= errors_of(b.analyses)) {
      a = std::move(both_a);
      b = std::move(both_b);
    }
  }
  if (options.path_b.empty()) b.name += " (B)";
  if (a.analyses.size() != b.analyses.size()) {
    say(fmt::format("primus-plan: A has {} modules and B {}: the first of each are compared\n", a.analyses.size(),
                    b.analyses.size()));
  }
  Output output = options.output.open({options.path_a, path_b});
  const TextStyle style = options.output.style(output.is_terminal());
  const bool json = options.output.format == "json";
  bool trains_the_same = a.analyses.size() == b.analyses.size();
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < std::min(a.analyses.size(), b.analyses.size()); ++i) {
    const Comparison comparison = compare_runs(a.run(i), b.run(i));
    trains_the_same = trains_the_same && comparison.trains_the_same;
    const DiffReport report{a.analyses[i], b.analyses[i], comparison, a.name, b.name, differ.hardware()};
    answers.push_back(json ? diff_to_json(report) : diff_to_text(report, style));
  }
  output.write(joined_answers(answers, json));
  output.finish();
  return options.exit_code && !trains_the_same ? exit_findings : exit_clean;
}

/// With --exit-code a file that cannot be loaded is trouble, not a difference.
int run_guarded(const Options& options) {
  try {
    return run(options);
  } catch (const NotLoaded&) {
    return options.exit_code ? exit_trouble : exit_findings;
  }
}

}  // namespace

Run declare_diff(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("A", options->path_a, "an experiment; FILE@REVISION reads it from git")->required();
  app.add_option("B", options->path_b, "another, or the same at another revision; none: A with --set-b");
  app.add_option("--set-b", options->sets_b, "override a value of B")->type_name("KEY=VALUE")->allow_extra_args(false);
  refuse_bad_sets(*app.get_option("--set-b"));
  app.add_option("--world-size-b", options->world_size_b, "number of GPUs of B")->type_name("N")->check(launch_size());
  app.add_option("--nodes-b", options->nodes_b, "number of nodes of B")->type_name("N")->check(launch_size());
  app.add_flag(
      "--exit-code", options->exit_code,
      "exit with 1 when the two train different things (model, data, batch, optimizer, precision), 0 when they "
      "train the same, 2 on trouble");
  declare_hardware(app, options->hardware);
  options->choice.declare(app);
  options->experiment.declare(app, tokens);
  app.get_option("--set")->description("override a value of A; VALUE is YAML, dots in KEY reach into mappings");
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run_guarded(*options); };
}

}  // namespace primus_plan::app
