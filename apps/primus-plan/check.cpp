#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "command.h"
#include "judging.h"
#include "ordered.h"
#include "primus_plan/backends/guide_formula.h"
#include "primus_plan/report/statistics.h"
#include "progress.h"
#include "report_targets.h"
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
  ReportFlags output;
  FixFlags fix;
  std::string hardware;
  std::string dp_formula = "runtime";
  bool strict = false;
  bool worlds = false;
  bool statistics = false;
  std::optional<std::string> write_baseline;  ///< empty: where --baseline or the settings say
  std::size_t jobs = 0;
};

/// What is left of a file once it is rendered.
struct Rendered {
  std::vector<Piece> pieces = {};
  std::string diff = {};
  std::string remark = {};  ///< for standard error
  Summary summary = {};
  bool fails = false;  ///< it has what exit code 1 is for
  Statistics statistics = {};
  std::vector<BaselineEntry> known = {};
};

/// What `check` does, whatever is made of the findings.
class Check {
 public:
  explicit Check(const Options& options)
      : options_(options),
        environment_(options.experiment.make_environment()),
        setups_(options.experiment, options.choice, files_, environment_),
        judging_(options.launch, options.worlds ? most_rows_in_table : 0, options.hardware, files_, environment_),
        progress_(!options.output.quiet) {}

  int run() {
    refuse_what_excludes();
    const Selection selection = options_.selection.select();
    find_setups(selection.inputs);
    const Reach reach(selection.targets, selection.some_vanished);
    if (selection.affected) reach_ = &reach;
    if (options_.write_baseline) return write_baseline(selection);
    if (options_.statistics) return write_statistics(selection);
    if (options_.fix.diff) return write_diff(selection);
    return write_reports(selection);
  }

 private:
  void refuse_what_excludes() const {
    const std::vector<std::string>& reports = options_.output.reports;
    const bool other_than_text = !reports.empty() && reports != std::vector<std::string>{"text"};
    if (options_.statistics && other_than_text && reports != std::vector<std::string>{"json"}) {
      throw Trouble("--statistics has the formats text and json");
    }
    if (!options_.fix.wanted()) return;
    if (options_.write_baseline) throw Trouble("--write-baseline writes no fixes: run it after --fix");
    if (!options_.fix.diff) return;
    if (options_.statistics) throw Trouble("--diff and --statistics exclude each other");
    if (other_than_text) throw Trouble("--diff has a form of its own and takes no --format");
  }

  /// Before anything is judged, so that unusable settings are told first.
  void find_setups(const std::vector<Input>& inputs) {
    if (options_.write_baseline) setups_.use_baseline(false);
    for (const Input& input : inputs) inputs_.push_back({input, &setups_.of(input.path)});
  }

  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    out.reserve(inputs_.size());
    for (const Chosen& chosen : inputs_) out.push_back(chosen.input.path);
    return out;
  }

  int write_reports(const Selection& selection) {
    ReportTargets targets(options_.output, wishes(selection.inputs), paths());
    const Total total = judge_all([&](const FileReport& file, Rendered& out) { out.pieces = targets.render(file); },
                                  [&](const Rendered& rendered) { targets.add(rendered.pieces); });
    if (total.summary.files == 0) say_nothing_to_check(selection);
    targets.finish(total.summary);
    return total.exit_code();
  }

  int write_statistics(const Selection& selection) {
    Output output = options_.output.open(paths());
    Statistics statistics;
    const Total total = judge_all([](const FileReport& file, Rendered& out) { out.statistics.add(file); },
                                  [&](const Rendered& rendered) { statistics.add(rendered.statistics); });
    if (total.summary.files == 0) say_nothing_to_check(selection);
    const bool json = !options_.output.reports.empty() && options_.output.reports.front() == "json";
    output.write(json ? statistics.to_json(total.summary)
                      : statistics.to_text(total.summary, options_.output.style(output.is_terminal())));
    output.finish();
    return total.exit_code();
  }

  /// The diff stands alone, so that it can be piped into patch.
  int write_diff(const Selection& selection) {
    Output output = options_.output.open(paths());
    output.keep_bytes();
    const Total total =
        judge_all([](const FileReport&, Rendered&) {}, [&](const Rendered& rendered) { output.write(rendered.diff); });
    if (total.summary.files == 0) say_nothing_to_check(selection);
    output.finish();
    return total.exit_code();
  }

  int write_baseline(const Selection& selection) {
    new_baseline_ = baseline_path(selection);
    refuse_other_files(new_baseline_);
    std::vector<BaselineEntry> known;
    const Total total = judge_all(
        [&](const FileReport& file, Rendered& out) {
          out.known = baseline_entries(file, path_in_baseline(new_baseline_, file.path));
        },
        [&](const Rendered& rendered) { known.insert(known.end(), rendered.known.begin(), rendered.known.end()); });
    if (total.summary.files == 0) {
      say_nothing_to_check(selection);
      return exit_clean;  // what was known stays known
    }
    const std::size_t count = known.size();
    const std::size_t files = total.summary.files;
    Output output(new_baseline_);
    output.write(baseline_to_json(std::move(known)));
    output.finish();
    say(fmt::format("primus-plan: {} finding{} of {} file{} written to {}\n", count, count == 1 ? "" : "s", files,
                    files == 1 ? "" : "s", new_baseline_));
    return exit_clean;
  }

  struct Total {
    Summary summary = {};
    bool fails = false;
    int exit_code() const { return fails ? exit_findings : exit_clean; }
  };

  /// Calls `render` for each file's report on several threads, and `consume` with what is left of it, in order.
  template <class Render, class Consume>
  Total judge_all(Render render, Consume consume) {
    Total total;
    std::size_t done = 0;
    in_order<Rendered>(
        inputs_.size(), jobs(), [&](std::size_t i) { return judge_one(inputs_[i], render); },
        [&](const Rendered& rendered) {
          total.summary += rendered.summary;
          total.fails = total.fails || rendered.fails;
          if (!rendered.remark.empty() || !rendered.pieces.empty() || !rendered.diff.empty()) progress_.clear();
          if (!rendered.remark.empty()) say(rendered.remark);
          consume(rendered);
          progress_.update(++done, inputs_.size());
        });
    progress_.clear();
    return total;
  }

  template <class Render>
  Rendered judge_one(const Chosen& chosen, const Render& render) const {
    const std::optional<LoadResult> loaded = judging_.load(chosen);
    if (!loaded || (reach_ != nullptr && !reach_->contains(chosen.input.path, *loaded))) return {};
    FileReport file = judging_.judge(chosen, *loaded, Judging::With::repairs);
    Rendered rendered;
    if (options_.fix.wanted()) rendered.diff = judging_.fix(chosen, options_.fix, file, rendered.remark);
    if (options_.dp_formula == "guide") std::ranges::for_each(file.modules, show_guide_formula);
    rendered.summary = summarize(file);
    const bool strict = options_.strict || chosen.setup->strict;
    rendered.fails = !rendered.diff.empty() || rendered.summary.errors > 0 || (strict && rendered.summary.warnings > 0);
    render(file, rendered);
    return rendered;
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

  const Options& options_;
  Environment environment_;
  DiskFiles files_;
  Setups setups_;
  Judging judging_;
  Progress progress_;
  std::vector<Chosen> inputs_;
  const Reach* reach_ = nullptr;  ///< only experiments that reach these files; null: all
  std::string new_baseline_;      ///< where --write-baseline writes
};

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
  app.add_option("--dp-formula", options->dp_formula,
                 "how DP is shown: runtime, or guide for world / (TP x PP x EP) with a note of what runs")
      ->check(one_of({"runtime", "guide"}))
      ->group(launch_group);
  declare_hardware(app, options->hardware);
  options->output.declare(app);
  return [options] { return Check(*options).run(); };
}

}  // namespace primus_plan::app
