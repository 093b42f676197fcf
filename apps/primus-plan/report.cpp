#include <fmt/core.h>

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <thread>

#include "command.h"
#include "inputs.h"
#include "load_one.h"
#include "options.h"
#include "part.h"
#include "planned_file.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/report/html.h"
#include "search_watch.h"
#include "setup.h"
#include "sweep_axes.h"

namespace primus_plan::app {

namespace {

constexpr double usual_time_limit = 20;
constexpr std::size_t plans_shown = 5;

struct Options {
  std::string path;
  std::string hardware;
  std::vector<std::string> over;
  bool no_plan = false;
  double time_limit = usual_time_limit;
  ExperimentFlags experiment;
  LaunchFlags launch;
  ChoiceFlags choice;
  OutputFlags output;
};

/// What a module's part of the page points to.
struct Gathered {
  std::optional<EstimateReport> estimate;
  std::unique_ptr<Prepared> prepared;
  PlanRequest request;
  PlanResult result;
  std::optional<PlanReport> plan;
  std::list<Sweep> sweeps;
};

/// Everything that one experiment's page is made from. Owns what the page points to.
class PageMaker {
 public:
  PageMaker(const Options& options, const Setup& setup, const FileReader& files, const Environment& environment)
      : options_(options),
        setup_(setup),
        files_(files),
        environment_(environment),
        interrupts_(Interrupts::Second::ends_the_program) {}

  void add(const Experiment& experiment, Page& page) {
    const Launch launch =
        find_launch(options_.launch.options(), environment_, experiment, setup_.launch_setting(options_.path));
    hardware_.push_back(find_gpu_part(options_.hardware, experiment, setup_.settings, files_));
    const GpuPart& part = hardware_.back();
    const FitTarget target = Parts(options_.hardware, files_).of(experiment, setup_.settings);
    AnalyzeOptions asked;
    asked.with_workload = true;
    asked.fit = &target;
    analyses_.push_back(analyze_nodes(experiment, launch, environment_, asked));
    std::vector<Analysis>& analyses = analyses_.back();
    apply_choice(analyses, setup_.choice(options_.path));
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      page.modules.push_back(make_module(experiment, experiment.modules[i], analyses[i], part));
    }
  }

  bool was_interrupted() const { return interrupts_.seen(); }
  bool has_errors() const {
    return std::ranges::any_of(analyses_, [](const std::vector<Analysis>& all) {
      return std::ranges::any_of(all, [](const Analysis& analysis) { return analysis.errors > 0; });
    });
  }

 private:
  PageModule make_module(const Experiment& experiment, const Module& module, const Analysis& analysis,
                         const GpuPart& part) {
    gathered_.emplace_back();
    Gathered& own = gathered_.back();
    PageModule out{.analysis = analysis, .module = &module};
    own.prepared = prepare(module, environment_);
    if (own.prepared == nullptr) return out;
    if (analysis.run.degrees.data > 0) out.layout = own.prepared->layout(analysis.run.launch);
    if (analysis.workload == nullptr) return out;
    own.estimate.emplace(EstimateReport{.analysis = analysis,
                                        .estimate = estimate_run(*analysis.workload, &part.hardware),
                                        .hardware = &part.hardware,
                                        .hardware_source = part.source,
                                        .calibration = {}});
    out.estimate = &*own.estimate;
    if (!analysis.workload->unknown.empty()) return out;
    out.timeline = run_timeline(*analysis.workload, part.hardware);
    add_sweeps(module, analysis, part, own, out);
    if (!options_.no_plan && !interrupts_.seen()) add_plan(experiment, module, analysis, part, own, out);
    return out;
  }

  void add_sweeps(const Module& module, const Analysis& analysis, const GpuPart& part, Gathered& own,
                  PageModule& out) const {
    const Trials trials{*find_backend(module.framework), module, environment_, analysis, &part.hardware};
    for (const std::string& text : axes_of(analysis.run)) {
      SearchWatch watch(&interrupts_, {.noun = "point", .talks = !options_.output.quiet});
      own.sweeps.push_back(run_sweep(trials, {parse_sweep_axis(text)}, watch.control()));
      out.sweeps.push_back({analysis, own.sweeps.back(), part.source});
    }
  }

  /// --over, else nodes around the run's own number and the small micro-batches.
  std::vector<std::string> axes_of(const RunDescription& run) const {
    if (!options_.over.empty()) return options_.over;
    std::vector<std::string> out;
    constexpr std::int64_t most = 1'000'000'000;  // numbers beyond are no run's
    const std::int64_t nodes = std::min(run.launch.nodes, most);
    const std::int64_t micro = std::min(run.batch.micro, most);
    if (nodes > 0)
      out.push_back(fmt::format("nodes={}", doublings(std::max<std::int64_t>(nodes / 8, 1), nodes, nodes * 8)));
    if (micro > 0) out.push_back(fmt::format("mbs={}", doublings(1, micro, std::max<std::int64_t>(8, 2 * micro))));
    return out;
  }

  /// "1,2,3,4": doublings from the first to the last, and a number of its own.
  static std::string doublings(std::int64_t first, std::int64_t own, std::int64_t last) {
    std::vector<std::int64_t> values{own};
    for (std::int64_t at = first; at <= std::min(last, largest_launch); at *= 2) values.push_back(at);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::string out;
    for (const std::int64_t value : values) out += fmt::format("{}{}", out.empty() ? "" : ",", value);
    return out;
  }

  void add_plan(const Experiment& experiment, const Module& module, const Analysis& analysis, const GpuPart& part,
                Gathered& own, PageModule& out) const {
    const RunDescription& run = analysis.run;
    if (run.batch.global < 1 || run.batch.sequence_length < 1 || part.hardware.memory_bytes <= 0) return;
    own.request.worlds = {run.launch.world_size};
    own.request.task = {.global_batch = run.batch.global,
                        .sequence_length = run.batch.sequence_length,
                        .gpus_per_node = run.launch.gpus_per_node};
    own.request.hardware = part.hardware;
    own.request.top = plans_shown;
    own.request.jobs = std::max(1U, std::thread::hardware_concurrency());
    const Loader loader(files_, environment_);
    const FitTarget target = Parts(options_.hardware, files_).of(experiment, setup_.settings);
    const PlannedFile file{.experiment = experiment,
                           .text = own_text(experiment),
                           .reading = setup_.experiment,
                           .loader = loader,
                           .target = target,
                           .choice = setup_.choice(options_.path),
                           .gpus_per_node = run.launch.gpus_per_node};
    own.request.count_warnings = [&file](const CandidateOverrides& overrides, std::int64_t world) {
      return file.warnings(overrides, world);
    };
    SearchWatch watch(
        &interrupts_,
        {.noun = "group of candidates", .limit_seconds = options_.time_limit, .talks = !options_.output.quiet});
    own.result = make_plan(*own.prepared, own.request, watch.control());
    own.request.count_warnings = nullptr;
    own.plan.emplace(PlanReport{.request = own.request,
                                .result = own.result,
                                .subject = experiment.path,
                                .framework = std::string(find_backend(module.framework)->title()),
                                .hardware_source = part.source,
                                .batch_source = "as the experiment has it",
                                .is_file = true});
    out.plan = &*own.plan;
  }

  const Options& options_;
  const Setup& setup_;
  const FileReader& files_;
  const Environment& environment_;
  const Interrupts interrupts_;  ///< end the searches; the page has what they found
  std::list<GpuPart> hardware_;
  std::list<std::vector<Analysis>> analyses_;
  std::list<Gathered> gathered_;
};

int run(const Options& options) {
  read_axes(options.over);  // what cannot be read is told first
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, options.choice, files, environment);
  const Setup& setup = setups.of(options.path);
  const GivenFile given = open_given(options.path);
  const std::string name = shown_name(options.path);
  const LoadResult loaded =
      given.streamed ? loader.load_text(name, *given.streamed, setup.experiment) : loader.load(name, setup.experiment);
  Output output = options.output.open({options.path});
  Page page{.path = name, .load_errors = loaded.errors, .modules = {}, .tool = tool_info()};
  PageMaker maker(options, setup, files, environment);
  for (const Experiment& experiment : loaded.experiments) maker.add(experiment, page);
  if (maker.was_interrupted()) {
    say("primus-plan: stopped by an interrupt; plans and sweeps of the page are the best of what was searched\n");
  }
  output.write(page_to_html(page));
  output.finish();
  return loaded.errors.empty() && !maker.has_errors() ? exit_clean : exit_findings;
}

}  // namespace

Run declare_report(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  declare_hardware(app, options->hardware);
  app.add_option("--over", options->over,
                 "a sweep of its own instead of those over nodes and micro-batch, as sweep takes it; may be given "
                 "several times")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  app.add_flag("--no-plan", options->no_plan, "without the search for plans");
  app.add_option("--time-limit", options->time_limit,
                 fmt::format("end the search for plans after so many seconds; default: {:.0f}", usual_time_limit))
      ->type_name("SECONDS")
      ->check(real_number(0.001, 1e6, "seconds"));
  options->choice.declare(app);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"html"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
