#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <thread>

#include "command.h"
#include "fix.h"
#include "inputs.h"
#include "options.h"
#include "ordered.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/planner/repair.h"

namespace primus_plan::app {

namespace {

constexpr std::int64_t most_nodes_in_table = 1024;
constexpr std::size_t most_rows_in_table = 32;

struct Options {
  std::vector<std::string> paths;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
  FixFlags fix;
  bool strict = false;
  bool worlds = false;
  std::size_t jobs = 0;
};

/// What is left of a file once it is rendered.
struct Rendered {
  std::string text;
  std::string remark = {};  ///< for standard error
  Summary summary = {};
  bool would_change = false;
};

/// The text that was judged under this path; null when it could not be read.
const Source* text_of(const FileReport& report, std::string_view path) {
  for (const auto& source : report.sources) {
    if (source->path() == path) return source.get();
  }
  return nullptr;
}

class Check {
 public:
  explicit Check(const Options& options)
      : options_(options),
        experiment_(options.experiment.options()),
        environment_(options.experiment.make_environment()),
        loader_(files_, environment_) {}

  int run() {
    const std::vector<Input> inputs = find_inputs(options_.paths);
    refuse_to_edit_stdin(inputs);
    Output output = options_.output.open();
    const auto formatter = make_formatter(inputs, output.is_terminal());
    Summary total;
    bool first = true;
    bool would_change = false;
    in_order<Rendered>(
        inputs.size(), jobs(), [&](std::size_t i) { return render(inputs[i], *formatter); },
        [&](const Rendered& rendered) {
          total += rendered.summary;
          would_change = would_change || rendered.would_change;
          if (!rendered.remark.empty()) say(rendered.remark);
          if (rendered.text.empty()) return;
          if (options_.fix.diff) return output.write(rendered.text);
          output.write((first ? formatter->begin() : formatter->separator()) + rendered.text);
          first = false;
        });
    if (total.files == 0) throw Trouble("no experiment found: no *.yaml file with modules: below the given folders");
    if (!options_.fix.diff) output.write((first ? formatter->begin() : std::string()) + formatter->end(total));
    output.finish();
    return would_change || total.errors > 0 || (options_.strict && total.warnings > 0) ? exit_findings : exit_clean;
  }

 private:
  std::unique_ptr<Formatter> make_formatter(const std::vector<Input>& inputs, bool terminal) const {
    TextStyle style = options_.output.style(terminal);
    style.worlds = options_.worlds;
    for (const Input& input : inputs) style.brief_if_clean = style.brief_if_clean || input.from_folder;
    return find_format(options_.output.format)->make(style, tool_info());
  }

  std::size_t jobs() const {
    return options_.jobs > 0 ? options_.jobs : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  }

  Rendered render(const Input& input, const Formatter& formatter) const {
    const std::optional<LoadResult> loaded = load(input);
    if (!loaded) return {};
    FileReport report = judge(input, *loaded, With::repairs);
    if (!options_.fix.wanted()) return {.text = formatter.file(report), .summary = summarize(report)};
    const std::string path = name_of(input);
    const Source* text = text_of(report, path);
    if (text == nullptr) return {.text = formatter.file(report), .summary = summarize(report)};
    const Fixed fixed = fix_file(path, text->text(), [&](const std::string& edited) { return judgement(input, edited); },
                                 options_.fix);
    if (options_.fix.diff) {
      return {.text = fixed.diff, .remark = fixed.remark, .summary = summarize(report), .would_change = !fixed.diff.empty()};
    }
    report = judge(input, loader_.load_text(path, fixed.mended.text, experiment_), With::repairs);
    return {.text = formatter.file(report), .remark = fixed.remark, .summary = summarize(report)};
  }

  static std::string name_of(const Input& input) { return input.path == "-" ? "<stdin>" : input.path; }

  void refuse_to_edit_stdin(const std::vector<Input>& inputs) const {
    if (!options_.fix.wanted() || options_.fix.diff) return;
    for (const Input& input : inputs) {
      if (input.path == "-") throw Trouble("standard input cannot be edited; add --diff to see the edits");
    }
  }

  Judgement judgement(const Input& input, const std::string& text) const {
    const LoadResult loaded = loader_.load_text(name_of(input), text, experiment_);
    FileReport report = judge(input, loaded, With::findings);
    Judgement out{.findings = std::move(report.load_errors), .sources = std::move(report.sources),
                  .is_loaded = loaded.errors.empty()};
    for (Analysis& module : report.modules) std::ranges::move(module.findings, std::back_inserter(out.findings));
    return out;
  }

  /// Nothing for a file of a folder that is no experiment.
  std::optional<LoadResult> load(const Input& input) const {
    if (input.path == "-") {
      return loader_.load_text(name_of(input), read_standard_input(DiskFiles::default_max_bytes), experiment_);
    }
    if (!input.from_folder) return loader_.load(input.path, experiment_);
    ReadFailure failure;
    std::optional<std::string> text = files_.read(input.path, failure);
    if (!text) return loader_.load(input.path, experiment_);
    const bool is_experiment = has_top_level_key(*text, "modules");
    if (!is_experiment && !has_top_level_key(*text, "extends")) return std::nullopt;
    LoadResult loaded = loader_.load_text(input.path, std::move(*text), experiment_);
    // Its modules may come from the file it extends; if not, it is a preset, say.
    if (!is_experiment && (!loaded.errors.empty() || loaded.experiments.front().is_snippet)) return std::nullopt;
    return loaded;
  }

  /// What is wanted besides degrees, batch and findings.
  enum class With : std::uint8_t { findings, repairs };

  FileReport judge(const Input& input, const LoadResult& loaded, With with) const {
    FileReport report{.path = input.path, .modules = {}, .load_errors = loaded.errors, .sources = loaded.sources};
    for (const Experiment& experiment : loaded.experiments) {
      const Launch launch = find_launch(options_.launch.options(), environment_, experiment.pragma);
      std::vector<Analysis> analyses = analyze(experiment, launch, environment_, options_.launch.analyze_options());
      if (options_.worlds) add_worlds(experiment, analyses);
      if (with == With::repairs) add_repairs(experiment, analyses);
      std::move(analyses.begin(), analyses.end(), std::back_inserter(report.modules));
      report.sources.insert(report.sources.end(), experiment.sources.begin(), experiment.sources.end());
    }
    return report;
  }

  /// `analyses` are those of the experiment's modules, in order.
  void add_worlds(const Experiment& experiment, std::vector<Analysis>& analyses) const {
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      const Backend* backend = find_backend(experiment.modules[i].framework);
      if (backend == nullptr) continue;
      const auto prepared = backend->prepare(experiment.modules[i], environment_);
      analyses[i].legal_worlds =
          legal_worlds(*prepared, analyses[i].run.launch.gpus_per_node, most_nodes_in_table, most_rows_in_table);
    }
  }

  void add_repairs(const Experiment& experiment, std::vector<Analysis>& analyses) const {
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      const Backend* backend = find_backend(experiment.modules[i].framework);
      if (backend == nullptr || analyses[i].errors == 0) continue;
      analyses[i].repairs = find_repairs(*backend, experiment.modules[i], environment_, analyses[i]);
    }
  }

  const Options& options_;
  ExperimentOptions experiment_;
  Environment environment_;
  DiskFiles files_;
  Loader loader_;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

Run declare_check(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->paths, "experiments, folders of them, or - for standard input")->required();
  app.add_flag("--strict", options->strict, "exit code 1 for warnings too");
  app.add_flag("--worlds", options->worlds, "list the world sizes at which each experiment is legal");
  app.add_option("-j,--jobs", options->jobs, "files judged at once; default: one for each processor")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{256}));
  options->fix.declare(app);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, format_names());
  return [options] { return Check(*options).run(); };
}

}  // namespace primus_plan::app
