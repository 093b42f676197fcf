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
#include "primus_plan/report/statistics.h"
#include "progress.h"
#include "selection.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

constexpr std::size_t most_rows_in_table = 32;
constexpr const char* usual_baseline = ".primus-plan-baseline.json";

struct Options {
  SelectionFlags selection;
  ChoiceFlags choice;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
  FixFlags fix;
  bool strict = false;
  bool worlds = false;
  bool statistics = false;
  std::optional<std::string> write_baseline;  ///< empty: where --baseline or the settings say
  std::size_t jobs = 0;
};

/// What is left of a file once it is rendered.
struct Rendered {
  std::string text;
  std::string remark = {};  ///< for standard error
  Summary summary = {};
  bool fails = false;  ///< it has what exit code 1 is for
  Statistics statistics = {};
  std::vector<BaselineEntry> known = {};
};

/// A file to check, and how.
struct Chosen {
  Input input;
  const Setup* setup = nullptr;
};

class Check {
 public:
  explicit Check(const Options& options)
      : options_(options),
        environment_(options.experiment.make_environment()),
        loader_(files_, environment_),
        setups_(options.experiment, options.choice, files_, environment_) {}

  int run() {
    if (options_.fix.wanted()) refuse_what_fixes_exclude();
    Progress progress("primus-plan", !options_.output.quiet);
    const Selection selection = options_.selection.select();
    find_setups(selection.inputs);
    const Reach reach(selection.targets);
    if (selection.affected) reach_ = &reach;
    if (options_.write_baseline) return write_baseline(selection, progress);
    std::vector<std::string> paths;
    paths.reserve(selection.inputs.size());
    for (const Input& input : selection.inputs) paths.push_back(input.path);
    Output output = options_.output.open(paths);
    return report(selection, output, progress);
  }

 private:
  /// Before anything is judged, so that unusable settings are told first.
  void find_setups(const std::vector<Input>& inputs) {
    if (options_.write_baseline) setups_.use_baseline(false);
    for (const Input& input : inputs) inputs_.push_back({input, &setups_.of(input.path)});
  }

  int report(const Selection& selection, Output& output, Progress& progress) {
    const auto formatter = make_formatter(selection.inputs, output.is_terminal());
    Summary total;
    Statistics statistics;
    bool first = true;
    bool fails = false;
    judge_all(
        progress, [&](const FileReport& file) { return formatter->file(file); },
        [&](const Rendered& rendered) {
          total += rendered.summary;
          fails = fails || rendered.fails;
          statistics.add(rendered.statistics);
          if (!rendered.remark.empty()) {
            progress.clear();
            say(rendered.remark);
          }
          if (rendered.text.empty()) return;
          progress.clear();
          if (options_.fix.diff) return output.write(rendered.text);
          output.write((first ? formatter->begin() : formatter->separator()) + rendered.text);
          first = false;
        });
    progress.clear();
    if (total.files == 0) say_nothing_to_check(selection);
    if (options_.statistics) {
      const bool json = options_.output.format == "json";
      output.write(json ? statistics.to_json(total) : statistics.to_text(total, style(output.is_terminal())));
    } else if (options_.fix.diff) {
      // The diff stands alone, so that it can be piped into patch.
    } else if (total.files > 0 || !first || options_.output.format != "text") {
      output.write((first ? formatter->begin() : std::string()) + formatter->end(total));
    }
    output.finish();
    return fails ? exit_findings : exit_clean;
  }

  /// Calls produce for each file's report on several threads, and consume with what is left of it, in order.
  template <class Render, class Consume>
  void judge_all(Progress& progress, Render render, Consume consume) {
    std::size_t done = 0;
    in_order<Rendered>(
        inputs_.size(), jobs(), [&](std::size_t i) { return judge_one(inputs_[i], render); },
        [&](const Rendered& rendered) {
          consume(rendered);
          progress.update(++done, inputs_.size());
        });
  }

  template <class Render>
  Rendered judge_one(const Chosen& chosen, const Render& render) const {
    const std::optional<LoadResult> loaded = load(chosen);
    if (!loaded || (reach_ != nullptr && !reach_->contains(chosen.input.path, *loaded))) return {};
    FileReport file = judge(chosen, *loaded, With::repairs);
    Rendered rendered;
    if (options_.fix.wanted()) rendered.text = fix(chosen, file, rendered.remark);
    rendered.summary = summarize(file);
    const bool strict = options_.strict || chosen.setup->strict;
    rendered.fails = !rendered.text.empty() || rendered.summary.errors > 0 || (strict && rendered.summary.warnings > 0);
    if (options_.fix.diff) return rendered;
    if (options_.write_baseline) {
      rendered.known = baseline_entries(file, path_in_baseline(new_baseline_, chosen.input.path));
    } else if (options_.statistics) {
      rendered.statistics.add(file);
    } else {
      rendered.text = render(file);
    }
    return rendered;
  }

  void refuse_what_fixes_exclude() const {
    if (options_.write_baseline) throw Trouble("--write-baseline writes no fixes: run it after --fix");
    if (options_.fix.diff && options_.statistics) throw Trouble("--diff and --statistics exclude each other");
    const std::string_view format = options_.output.format;
    if (options_.fix.diff && format != "text") throw Trouble("--diff has a form of its own and takes no --format");
  }

  /// Mends the file; `file` becomes the report of what is left. Gives back the diff, with --diff.
  std::string fix(const Chosen& chosen, FileReport& file, std::string& remark) const {
    const std::string path = shown_name(chosen.input.path);
    if (chosen.input.path == "-" && !options_.fix.diff)
      throw Trouble("standard input cannot be edited; add --diff to see the edits");
    const auto text = std::ranges::find(file.sources, path, [](const auto& source) { return source->path(); });
    if (text == file.sources.end()) return {};
    const std::string before = (*text)->text();
    const auto load = [&](const std::string& now) { return loader_.load_text(path, now, chosen.setup->experiment); };
    const Judge judge_text = [&](const std::string& now) {
      return to_judgement(judge(chosen, load(now), With::findings));
    };
    const Fixed fixed = fix_file(path, before, judge_text, options_.fix);
    remark = fixed.remark;
    if (!options_.fix.diff) file = judge(chosen, load(fixed.mended.text), With::repairs);
    return fixed.diff;
  }

  static Judgement to_judgement(FileReport file) {
    Judgement out{.findings = std::move(file.load_errors), .sources = std::move(file.sources), .is_loaded = false};
    out.is_loaded = out.findings.empty();
    for (Analysis& module : file.modules) std::ranges::move(module.findings, std::back_inserter(out.findings));
    return out;
  }

  int write_baseline(const Selection& selection, Progress& progress) {
    const std::string path = baseline_path(selection);
    refuse_other_files(path);
    new_baseline_ = path;
    std::vector<BaselineEntry> known;
    std::size_t files = 0;
    judge_all(
        progress, [](const FileReport&) { return std::string(); },
        [&](const Rendered& rendered) {
          files += rendered.summary.files;
          known.insert(known.end(), rendered.known.begin(), rendered.known.end());
        });
    progress.clear();
    if (files == 0) {
      say_nothing_to_check(selection);
      return exit_clean;  // what was known stays known
    }
    const std::size_t count = known.size();
    Output output(path);
    output.write(baseline_to_json(std::move(known)));
    output.finish();
    say(fmt::format("primus-plan: {} finding{} of {} file{} written to {}\n", count, count == 1 ? "" : "s", files,
                    files == 1 ? "" : "s", path));
    return exit_clean;
  }

  std::string baseline_path(const Selection& selection) {
    if (!options_.write_baseline->empty()) return *options_.write_baseline;
    const Setup& setup = selection.inputs.empty() ? setups_.of_folder(".") : *inputs_.front().setup;
    return setup.baseline_file ? setup.baseline_file->value : usual_baseline;
  }

  /// Whoever forgets the FILE of --write-baseline must not lose an experiment.
  void refuse_other_files(const std::string& path) const {
    ReadFailure failure;
    const auto text = files_.read(path, failure);
    if (!text || text->empty()) return;
    try {
      const Baseline old(*text);
    } catch (const BadBaseline& error) {
      throw Trouble(fmt::format("--write-baseline {} would overwrite a file that {}", path, error.what()));
    }
  }

  static void say_nothing_to_check(const Selection& selection) {
    if (!selection.may_be_empty) {
      throw Trouble("no experiment found: no *.yaml file with modules: below the given folders");
    }
    say("primus-plan: no experiment to check\n");
  }

  TextStyle style(bool terminal) const {
    TextStyle style = options_.output.style(terminal);
    style.worlds = options_.worlds;
    return style;
  }

  std::unique_ptr<Formatter> make_formatter(const std::vector<Input>& inputs, bool terminal) const {
    TextStyle how = style(terminal);
    for (const Input& input : inputs) how.brief_if_clean = how.brief_if_clean || input.from_folder;
    return find_format(options_.output.format)->make(how, tool_info());
  }

  std::size_t jobs() const {
    return options_.jobs > 0 ? options_.jobs : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  }

  /// Nothing for a file of a folder that is no experiment.
  std::optional<LoadResult> load(const Chosen& chosen) const {
    const Input& input = chosen.input;
    const ExperimentOptions& options = chosen.setup->experiment;
    if (auto streamed = input.from_folder ? std::nullopt : read_stream(input.path, DiskFiles::default_max_bytes)) {
      return loader_.load_text(shown_name(input.path), *std::move(streamed), options);
    }
    if (!input.from_folder) return loader_.load(input.path, options);
    ReadFailure failure;
    std::optional<std::string> text = files_.read(input.path, failure);
    if (!text) return loader_.load(input.path, options);
    const bool is_experiment = has_top_level_key(*text, "modules");
    if (!is_experiment && !has_top_level_key(*text, "extends")) return std::nullopt;
    LoadResult loaded = loader_.load_text(input.path, std::move(*text), options);
    // Its modules may come from the file it extends; if not, it is a preset, say.
    if (!is_experiment && (!loaded.errors.empty() || loaded.experiments.front().is_snippet)) return std::nullopt;
    return loaded;
  }

  /// What is wanted besides degrees, batch and findings.
  enum class With : std::uint8_t { findings, repairs };

  FileReport judge(const Chosen& chosen, const LoadResult& loaded, With with) const {
    const std::string& path = chosen.input.path;
    AnalyzeOptions options = options_.launch.analyze_options();
    if (options_.worlds) options.legal_worlds = most_rows_in_table;
    FileReport report{.path = path, .modules = {}, .load_errors = loaded.errors, .sources = loaded.sources};
    for (const Experiment& experiment : loaded.experiments) {
      const Launch launch =
          find_launch(options_.launch.options(), environment_, experiment, chosen.setup->launch_setting(path));
      std::vector<Analysis> analyses = analyze(experiment, launch, environment_, options);
      if (with == With::repairs) add_repairs(experiment, analyses);
      std::move(analyses.begin(), analyses.end(), std::back_inserter(report.modules));
      report.sources.insert(report.sources.end(), experiment.sources.begin(), experiment.sources.end());
    }
    apply_choice(report, chosen.setup->choice(path));
    return report;
  }

  void add_repairs(const Experiment& experiment, std::vector<Analysis>& analyses) const {
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      const Backend* backend = find_backend(experiment.modules[i].framework);
      if (backend == nullptr || analyses[i].errors == 0) continue;
      analyses[i].repairs = find_repairs(*backend, experiment.modules[i], environment_, analyses[i]);
    }
  }

  const Options& options_;
  Environment environment_;
  DiskFiles files_;
  Loader loader_;
  Setups setups_;
  std::vector<Chosen> inputs_;
  const Reach* reach_ = nullptr;  ///< only experiments that reach these files; null: all
  std::string new_baseline_;      ///< where --write-baseline writes
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

Run declare_check(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  options->selection.declare(app);
  app.add_flag("--strict", options->strict, "exit code 1 for warnings too");
  app.add_flag("--worlds", options->worlds, "list the world sizes at which each experiment is legal");
  app.add_option("-j,--jobs", options->jobs, "files judged at once; default: one for each processor")
      ->type_name("N")
      ->check(whole_number(1, 256));
  app.add_flag("--statistics", options->statistics, "how often each rule fired instead of the findings (text, json)");
  options->choice.declare(app);
  options->fix.declare(app);
  app.add_option("--write-baseline", options->write_baseline,
                 "write the findings to FILE as known ones; default: where --baseline or the settings say")
      ->type_name("FILE")
      ->expected(0, 1)
      ->group("Choosing");
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, format_names());
  return [options] {
    const bool no_table = options->statistics && options->output.format != "text" && options->output.format != "json";
    if (no_table) throw Trouble("--statistics has the formats text and json");
    return Check(*options).run();
  };
}

}  // namespace primus_plan::app
