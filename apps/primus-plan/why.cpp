#include "primus_plan/report/why.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "one_run.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::string key;
  std::string hardware;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

[[noreturn]] void refuse_key(const Options& options, const std::vector<std::string>& nearest) {
  const std::string hint = nearest.empty() ? std::string() : fmt::format("; did you mean {}?", join(nearest, ", "));
  throw Trouble(fmt::format("{} sets no key {}{}", options.path, options.key, hint));
}

/// The framework's own key for a short name ("tp"); any other word as it is.
std::string own_key(const std::vector<Analysis>& analyses, const std::string& word) {
  const ShortName* known = find_short_name(word);
  if (known == nullptr || known->key == nullptr) return word;
  for (const Analysis& analysis : analyses) {
    const RunKey& key = analysis.run.keys.*(known->key);
    if (key.name != nullptr) return key.name;
  }
  return word;
}

struct KnownNumbers {
  std::vector<std::string> names;
  std::string no_step;  ///< why none of them is of the step
};

/// A number of the estimates; nothing, with the names of those that there are in `known`, when there is no such number.
std::string why_number(const Options& options, const OneRun& file, const Experiment& experiment,
                       const std::vector<Analysis>& analyses, const TextStyle& style, KnownNumbers& known) {
  const Part part = find_part(options.hardware, experiment, file.setup().settings, file.files());
  std::string text;
  for (const Analysis& analysis : analyses) {
    if (analysis.workload == nullptr) continue;
    const Estimate estimate = estimate_run(*analysis.workload, part.get());
    if (const auto number = unfold_number(*analysis.workload, estimate, part.get(), options.key)) {
      text += why_to_text(*number, analysis, style);
    } else if (known.names.empty()) {
      known.names = unfoldable_numbers(*analysis.workload, estimate, part.get());
      known.no_step = part.get() == nullptr ? "steps need a part: --hardware MI300X, say"
                                            : reason_without_step(*analysis.workload, *part.get());
    }
  }
  return text;
}

[[noreturn]] void refuse_number(const Options& options, const KnownNumbers& known) {
  if (known.names.empty()) throw Trouble(fmt::format("{}: nothing can be estimated of this run", options.path));
  const bool asks_for_step = options.key.starts_with("step") && !known.no_step.empty();
  throw Trouble(fmt::format("{} has no number {}{}; it has {}", options.path, options.key,
                            asks_for_step ? "; " + known.no_step : "", join(known.names, ", ")));
}

int run(const Options& options) {
  const OneRun file(options.path, options.experiment, options.output);
  Output output = options.output.open({options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  std::string text;
  std::vector<std::string> nearest;
  KnownNumbers numbers;
  AnalyzeOptions asked;
  asked.with_workload = is_number_name(options.key);
  for (const Experiment& experiment : file.experiments()) {
    const Launch launch = file.launch(experiment, options.launch);
    const std::vector<Analysis> analyses = asked.with_workload
                                               ? analyze_nodes(experiment, launch, file.environment(), asked)
                                               : analyze(experiment, launch, file.environment(), asked);
    const std::string key = own_key(analyses, options.key);
    for (const FoundKey& found : find_key(experiment, analyses, key)) text += why_to_text(found, style);
    if (text.empty() && asked.with_workload) {
      text += why_number(options, file, experiment, analyses, style, numbers);
    }
    if (nearest.empty()) nearest = nearest_keys(experiment, analyses, options.key);
  }
  if (text.empty() && asked.with_workload) refuse_number(options, numbers);
  if (text.empty()) refuse_key(options, nearest);
  output.write(text);
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_why(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  app.add_option("KEY", options->key,
                 "a key (dots reach into mappings, module.key names one module's) or its short name (tp, gbs), or a "
                 "number of the estimates: memory, "
                 "memory.activations, parameters, flops, step, step.bubble and so on")
      ->required();
  declare_hardware(app, options->hardware);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
