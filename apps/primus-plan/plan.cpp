#include "primus_plan/report/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "part.h"
#include "plan_request.h"
#include "planned_file.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/backends/model_list.h"
#include "primus_plan/planner/assumed_batch.h"
#include "primus_plan/planner/written_plan.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "primus_plan/support/word_match.h"
#include "search_watch.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

constexpr const char* plan_group = "Planning";
/// Tokens of a sample where nobody says.
constexpr std::int64_t usual_sequence = 4096;

struct Options {
  std::string path;
  std::string model;
  std::string gpus;
  std::string nodes;
  std::int64_t gpus_per_node = 0;
  std::string hardware;
  std::int64_t global_batch = 0;
  std::int64_t sequence_length = 0;
  std::vector<std::string> pins;
  std::vector<std::string> allowed;
  std::string objective = "throughput";
  std::size_t top = 5;
  double time_limit = 0;
  bool min_change = false;
  std::size_t jobs = 0;
  std::size_t emit = 0;
  std::string write;
  ExperimentFlags experiment;
  OutputFlags output;
};

/// The experiment that is planned for: a file, or one around a model's preset.
struct Subject {
  std::string path;  ///< empty: made from a model
  std::string name;
  LoadResult loaded;
};

/// The framework of an experiment that is made from a model.
std::string framework_of_model(const Options& options) {
  return options.experiment.backend.empty() ? "megatron" : options.experiment.backend;
}

/// "did you mean llama3.1_70B?" for a model that no preset of the framework has.
std::string nearest_models(const Options& options, const ExperimentOptions& reading, const Loader& loader,
                           const std::string& framework) {
  std::vector<std::string> names;
  for (const ListedModel& model : list_models(loader, reading.primus_root, framework)) {
    names.push_back(model.name());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::vector<std::string_view> nearest = nearest_names(options.model, known, 3);
  if (nearest.empty()) nearest = names_with_words(options.model, known, 3);
  return nearest.empty() ? "primus-plan models lists them" : fmt::format("did you mean {}?", join(nearest, ", "));
}

Subject load_subject(const Options& options, const ExperimentOptions& reading, const Loader& loader) {
  Subject out;
  if (options.path.empty() == options.model.empty())
    throw Trouble("give an experiment (plan FILE) or a model (plan --model llama3.1_70B --backend megatron)");
  if (!options.path.empty()) {
    out.path = out.name = options.path;
    out.loaded = load_one(options.path, loader, reading, options.output);
    return out;
  }
  out.name = options.model;
  ExperimentOptions loading = reading;
  loading.backend.reset();
  const std::string framework = framework_of_model(options);
  out.loaded = loader.load_text(options.model + ".yaml", experiment_around(framework, options.model), loading);
  if (out.loaded.experiments.empty() || !out.loaded.errors.empty()) {
    throw Trouble(fmt::format("--model {} for {}: {}; {}", options.model, framework,
                              out.loaded.errors.empty() ? "" : out.loaded.errors.front().message,
                              nearest_models(options, reading, loader, framework)));
  }
  return out;
}

/// Batch and sequence: the flags', else what the experiment makes of itself at its own size.
void settle_task(const Options& options, const Subject& subject, const Analysis& now, PlanRequest& request,
                 std::string& batch_source) {
  PlanTask& task = request.task;
  const std::int64_t own = subject.path.empty() ? usual_sequence : now.run.batch.sequence_length;
  task.sequence_length = options.sequence_length > 0 ? options.sequence_length : own;
  if (task.sequence_length < 1) throw Trouble("the sequence length is not known: give --seq");
  if (options.global_batch > 0) {
    task.global_batch = options.global_batch;
    batch_source = "--global-batch";
  } else if (!subject.path.empty() && now.run.batch.global > 0) {
    task.global_batch = now.run.batch.global;
    batch_source = "as the experiment has it";
  } else {
    task.global_batch = assumed_batch(request.worlds, task.sequence_length);
    batch_source = "assumed; --global-batch says another";
  }
}

PlanResult search_plans(const Options& options, const Prepared& prepared, const PlanRequest& request) {
  const Interrupts interrupts(Interrupts::Second::ends_the_program);
  SearchWatch watch(&interrupts, {.noun = "group of candidates",
                                  .limit_seconds = options.time_limit,
                                  .silent_seconds = 2,
                                  .talks = !options.output.quiet});
  PlanResult result = make_plan(prepared, request, watch.control());
  if (!result.complete) watch.tell_end("the plans are the best of what was searched");
  return result;
}

/// What the plans are written into.
PlannedFile planned_file(const Options& options, const Setup& setup, const Subject& subject, const Loader& loader,
                         const FitTarget& target, std::int64_t gpus_per_node) {
  const Experiment& experiment = subject.loaded.experiments.front();
  PlannedFile out{.experiment = experiment,
                  .text = own_text(experiment),
                  .reading = setup.experiment,
                  .loader = loader,
                  .target = target,
                  .choice = {},
                  .gpus_per_node = gpus_per_node};
  if (subject.path.empty()) {
    out.text = experiment_around(framework_of_model(options), options.model);
    out.reading.backend.reset();
  } else {
    out.choice = setup.choice(subject.path);
  }
  return out;
}

const ProposedPlan& chosen_plan(const Options& options, const PlanResult& result) {
  const std::size_t wanted = std::max<std::size_t>(options.emit, 1);
  if (wanted > result.plans.size())
    throw Trouble(fmt::format("--emit {}: there are {}", wanted,
                              counted(static_cast<std::int64_t>(result.plans.size()), "plan")));
  return result.plans[wanted - 1];
}

PlanRequest make_request(const Options& options, const AskedAxes& axes) {
  PlanRequest request;
  request.allowed = axes.values();
  request.objective = read_objective(options.objective);
  request.top = std::max(options.top, options.emit);
  request.min_change = options.min_change;
  request.jobs = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  return request;
}

void refuse_impossible_axes(const AskedAxes& axes, const PlanRequest& request, const Prepared& prepared,
                            const Analysis& now, std::string_view framework) {
  if (now.workload == nullptr) return;
  const auto trouble = find_axis_trouble(request, now.workload->model, prepared.plan_knobs(), framework);
  if (trouble) throw Trouble(axes.sentence(*trouble));
}

/// The sizes to plan for, in ascending order.
std::vector<std::int64_t> asked_worlds(const Options& options, const std::vector<std::int64_t>& nodes,
                                       const Launch& launch, bool is_known) {
  if (!options.gpus.empty()) return read_sizes(options.gpus, "--gpus");
  if (nodes.empty()) {
    if (!is_known) throw Trouble("give the number of GPUs: --gpus 64, --gpus 8:1024, --gpus 64,128 or --nodes 8");
    return {launch.world_size};
  }
  std::vector<std::int64_t> worlds;
  worlds.reserve(nodes.size());
  for (const std::int64_t count : nodes) worlds.push_back(saturating_multiply(count, launch.gpus_per_node));
  if (worlds.back() > largest_launch)
    throw Trouble(fmt::format("--nodes: {} GPUs are more than {}", worlds.back(), largest_launch));
  return worlds;
}

/// Prints the plans, or with --emit the overrides of one, under the launch comment where the file has another size.
void print(const Options& options, const PlanReport& report, std::int64_t stated_world, Output& output) {
  if (options.emit > 0 && !report.result.points.empty()) {
    output.write(plan_block(chosen_plan(options, report.result), report.request.task.gpus_per_node, stated_world));
  } else {
    output.write(options.output.format == "json" ? plan_to_json(report)
                                                 : plan_to_text(report, options.output.style(output.is_terminal())));
  }
  output.finish();
}

int run(const Options& options) {
  const AskedAxes axes(options.pins, options.allowed);
  PlanRequest request = make_request(options, axes);
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, {}, files, environment);
  setups.use_baseline(false);
  const Setup& setup = setups.of(options.path.empty() ? "-" : options.path);
  const Subject subject = load_subject(options, setup.experiment, loader);
  const Experiment& experiment = subject.loaded.experiments.front();
  const Module& module = experiment.modules.front();
  const auto prepared = prepare(module, environment);
  if (prepared == nullptr) throw Trouble(fmt::format("framework {} has no planner here", module.framework));

  LaunchOptions launching;
  if (options.gpus_per_node > 0) launching.gpus_per_node = options.gpus_per_node;
  const std::vector<std::int64_t> nodes =
      options.nodes.empty() ? std::vector<std::int64_t>{} : read_sizes(options.nodes, "--nodes");
  const Pragma* setting = subject.path.empty() ? nullptr : setup.launch_setting(options.path);
  Launch found = find_launch(launching, environment, experiment, setting);
  const bool is_stated = found.world_size >= 1;
  if (!is_stated && !nodes.empty()) {
    launching.nodes = nodes.back();
    found = find_launch(launching, environment, experiment, setting);
  }
  AnalyzeOptions counts;
  counts.with_text = false;
  const Launch launch = analyze_nodes(experiment, found, environment, counts).front().run.launch;
  request.task.gpus_per_node = launch.gpus_per_node;
  request.worlds = asked_worlds(options, nodes, launch, !subject.path.empty() || found.world_size >= 1);
  // Among several sizes the file as it is stands at its own; one other size is asked of it, too.
  if (is_stated && request.worlds.size() > 1) request.present = launch;
  AnalyzeOptions numbers;
  numbers.with_text = false;
  numbers.with_workload = true;
  const Analysis now = prepared->decide(launch, numbers);
  std::string batch_source;
  settle_task(options, subject, now, request, batch_source);
  const GpuPart part = find_gpu_part(options.hardware, experiment, setup.settings, files);
  request.hardware = part.hardware;
  const std::string_view framework = find_backend(module.framework)->title();
  refuse_impossible_axes(axes, request, *prepared, now, framework);
  if (request.hardware.memory_bytes <= 0) throw Trouble(fmt::format("{}: its memory is not known", part.hardware.name));

  refuse_existing("--write", options.write);
  const FitTarget target = Parts(options.hardware, files).of(experiment, setup.settings);
  const PlannedFile file = planned_file(options, setup, subject, loader, target, launch.gpus_per_node);
  request.count_warnings = [&](const CandidateOverrides& overrides, std::int64_t world) {
    return file.warnings(overrides, world);
  };
  Output output = options.output.open({subject.path});
  PlanResult result = search_plans(options, *prepared, request);
  if (launch.assumed && options.gpus.empty()) {
    result.notes.insert(result.notes.begin(), fmt::format("world size {} assumed: {} (set it with --gpus or --nodes)",
                                                          launch.world_size, launch.source));
  }
  const PlanReport report{.request = request,
                          .result = result,
                          .subject = subject.name,
                          .framework = std::string(framework),
                          .hardware_source = part.source,
                          .batch_source = batch_source,
                          .is_file = !subject.path.empty()};
  const bool found_one = !result.points.empty();
  print(options, report, is_stated && report.is_file ? launch.world_size : 0, output);
  if (found_one && !options.write.empty()) {
    write_planned(file, chosen_plan(options, result), options.write, options.hardware, setup.settings);
  }
  return found_one ? exit_clean : exit_findings;
}

void declare_task(CLI::App& app, Options& options) {
  app.add_option("--model", options.model, "a model preset instead of an experiment")->type_name("NAME");
  app.add_option("--gpus", options.gpus, "GPUs: a number, a list (64,128), doublings (8:1024)")
      ->type_name("N")
      ->group(plan_group);
  app.add_option("--nodes", options.nodes, "nodes instead: a number, a list, doublings")
      ->type_name("N")
      ->group(plan_group);
  app.get_option("--nodes")->excludes("--gpus");
  app.add_option("--gpus-per-node", options.gpus_per_node, "GPUs of a node")
      ->type_name("N")
      ->check(whole_number(1, largest_launch))
      ->group(plan_group);
  declare_hardware(app, options.hardware);
  app.add_option("--global-batch", options.global_batch, "samples of a step")
      ->type_name("N")
      ->check(whole_number(1, std::int64_t{1} << 30))
      ->group(plan_group);
  app.add_option("--seq", options.sequence_length, "tokens of a sample")
      ->type_name("N")
      ->check(whole_number(1, std::int64_t{1} << 30))
      ->group(plan_group);
}

void declare_search(CLI::App& app, Options& options) {
  app.add_option("--pin", options.pins, "keep an axis at a value: tp=8, recompute=full")
      ->type_name("AXIS=VALUE")
      ->allow_extra_args(false)
      ->group(plan_group);
  app.add_option("--allow", options.allowed, "try these values of an axis only: pp=1,2,4")
      ->type_name("AXIS=VALUES")
      ->allow_extra_args(false)
      ->group(plan_group);
  app.add_option("--objective", options.objective, "what the best plan is best at: throughput, memory, gpus, latency")
      ->check(one_of({"throughput", "memory", "gpus", "latency"}))
      ->group(plan_group);
  app.add_option("--top", options.top, "plans to show; default: 5")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->group(plan_group);
  app.add_option("--time-limit", options.time_limit, "end after so many seconds with the best so far")
      ->type_name("SECONDS")
      ->check(real_number(0.001, 1e6, "seconds"))
      ->group(plan_group);
  app.add_flag("--min-change", options.min_change, "plans that change fewer keys of the experiment first")
      ->group(plan_group);
  app.add_option("--jobs", options.jobs, "threads; default: all cores")
      ->type_name("N")
      ->check(whole_number(1, 1024))
      ->group(plan_group);
  app.add_option("--emit", options.emit, "print the overrides of plan N instead of the report")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->group(plan_group);
  app.add_option("--write", options.write,
                 "write a copy of the experiment with the plan's overrides (--emit N: plan N)")
      ->type_name("FILE")
      ->group(plan_group);
}

}  // namespace

Run declare_plan(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input");
  declare_task(app, *options);
  declare_search(app, *options);
  options->experiment.declare(app, tokens);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
