#include <fmt/core.h>

#include <memory>
#include <thread>

#include "command.h"
#include "inputs.h"
#include "options.h"
#include "ordered.h"
#include "primus_plan/backends/analyze.h"
#include "report_targets.h"

namespace primus_plan::app {

namespace {

constexpr std::size_t most_rows_in_table = 32;

struct Options {
  std::vector<std::string> paths;
  ExperimentFlags experiment;
  LaunchFlags launch;
  ReportFlags output;
  bool strict = false;
  bool worlds = false;
  std::size_t jobs = 0;
};

/// What is left of a file once it is rendered.
struct Rendered {
  std::vector<Piece> pieces;
  Summary summary;
};

class Check {
 public:
  explicit Check(const Options& options)
      : options_(options),
        experiment_(options.experiment.options()),
        environment_(options.experiment.make_environment()),
        loader_(files_, environment_) {}

  int run() {
    const std::vector<Input> inputs = find_inputs(options_.paths);
    std::vector<std::string> paths;
    paths.reserve(inputs.size());
    for (const Input& input : inputs) paths.push_back(input.path);
    ReportTargets targets(options_.output, wishes(inputs), paths);
    Summary total;
    in_order<Rendered>(
        inputs.size(), jobs(), [&](std::size_t i) { return render(inputs[i], targets); },
        [&](const Rendered& rendered) {
          total += rendered.summary;
          targets.add(rendered.pieces);
        });
    if (total.files == 0) throw Trouble("no experiment found: no *.yaml file with modules: below the given folders");
    targets.finish(total);
    return total.errors > 0 || (options_.strict && total.warnings > 0) ? exit_findings : exit_clean;
  }

 private:
  TextStyle wishes(const std::vector<Input>& inputs) const {
    TextStyle style;
    style.worlds = options_.worlds;
    style.strict = options_.strict;
    for (const Input& input : inputs) style.brief_if_clean = style.brief_if_clean || input.from_folder;
    return style;
  }

  std::size_t jobs() const {
    return options_.jobs > 0 ? options_.jobs : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  }

  Rendered render(const Input& input, const ReportTargets& targets) const {
    const std::optional<LoadResult> loaded = load(input);
    if (!loaded) return {};
    const FileReport report = judge(input, *loaded);
    return {targets.render(report), summarize(report)};
  }

  /// Nothing for a file of a folder that is no experiment.
  std::optional<LoadResult> load(const Input& input) const {
    if (auto streamed = input.from_folder ? std::nullopt : read_stream(input.path, DiskFiles::default_max_bytes)) {
      return loader_.load_text(shown_name(input.path), *std::move(streamed), experiment_);
    }
    if (!input.from_folder) return loader_.load(input.path, experiment_);
    ReadFailure failure;
    std::optional<std::string> text = files_.read(input.path, failure);
    if (!text) return loader_.load(input.path, experiment_);
    const bool is_experiment = has_top_level_key(*text, "modules");
    if (!is_experiment && !has_top_level_key(*text, "extends")) return std::nullopt;
    LoadResult loaded = loader_.load_text(input.path, *text, experiment_);
    // Its modules may come from the file it extends; if not, it is a preset, say.
    if (!is_experiment && (!loaded.errors.empty() || loaded.experiments.front().is_snippet)) return std::nullopt;
    return loaded;
  }

  FileReport judge(const Input& input, const LoadResult& loaded) const {
    AnalyzeOptions options = options_.launch.analyze_options();
    if (options_.worlds) options.legal_worlds = most_rows_in_table;
    FileReport report{.path = input.path, .modules = {}, .load_errors = loaded.errors, .sources = loaded.sources};
    for (const Experiment& experiment : loaded.experiments) {
      const Launch launch = find_launch(options_.launch.options(), environment_, experiment);
      std::vector<Analysis> analyses = analyze(experiment, launch, environment_, options);
      std::move(analyses.begin(), analyses.end(), std::back_inserter(report.modules));
      report.sources.insert(report.sources.end(), experiment.sources.begin(), experiment.sources.end());
    }
    return report;
  }

  const Options& options_;
  ExperimentOptions experiment_;
  Environment environment_;
  DiskFiles files_;
  Loader loader_;
};

}  // namespace

Run declare_check(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->paths, "experiments, folders of them, or - for standard input")->required();
  app.add_flag("--strict", options->strict, "exit code 1 for warnings too");
  app.add_flag("--worlds", options->worlds, "list the world sizes at which each experiment is legal");
  app.add_option("-j,--jobs", options->jobs, "files judged at once; default: one for each processor")
      ->type_name("N")
      ->check(whole_number(1, 256));
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app);
  return [options] { return Check(*options).run(); };
}

}  // namespace primus_plan::app
