#include "primus_plan/backends/example.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "config/experiment_rules.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/estimate/fit.h"

namespace primus_plan {

namespace {

struct Arguments {
  ExperimentOptions experiment;
  LaunchOptions launch;
  std::string hardware;  ///< empty: nobody says
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(begin);
    if (text.empty()) return words;
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// "a=b" in two; the second is empty without "=".
std::pair<std::string, std::string> split(const std::string& word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  return {word.substr(0, equals), equals < word.size() ? word.substr(equals + 1) : std::string()};
}

Arguments arguments_of(const Example& example) {
  Arguments out;
  out.launch.world_size = example.world_size.value;
  if (!example.yaml.starts_with(loading::example_arguments)) return out;
  const std::string_view line = example.yaml.substr(0, example.yaml.find('\n'));
  const std::vector<std::string> words = words_of(line.substr(loading::example_arguments.size()));
  for (auto word = words.begin(); word != words.end() && std::next(word) != words.end(); word += 2) {
    const std::string& value = *std::next(word);
    if (*word == "--set") out.experiment.sets.push_back(split(value));
    if (*word == "--hardware") out.hardware = value;
    if (*word == "--primus-root") out.experiment.primus_root = value;
    if (*word == "--world-size") out.launch.world_size = std::stoll(value);
    if (*word == "--") {
      out.experiment.tokens.assign(std::next(word), words.end());
      break;
    }
  }
  return out;
}

Environment environment_of(const Example& example) {
  Environment environment;
  for (const std::string& word : words_of(example.environment)) {
    auto [name, value] = split(word);
    environment.set(std::move(name), std::move(value));
  }
  return environment;
}

FitTarget target_of(const Arguments& arguments, const FileReader& files) {
  FitTarget out;
  out.assumed = arguments.hardware.empty();
  out.hardware = find_hardware(out.assumed ? "MI300X" : arguments.hardware, files);
  out.from = "--hardware " + arguments.hardware;
  out.known_parts = &built_in_hardware;
  return out;
}

void judge(const Experiment& experiment, const LaunchOptions& launch_options, const FitTarget& target,
           const Environment& environment, CheckedExample& out) {
  try {
    const Launch launch = find_launch(launch_options, environment, experiment);
    AnalyzeOptions options;
    options.fit = &target;
    for (Analysis& analysis : analyze(experiment, launch, environment, options)) {
      std::move(analysis.findings.begin(), analysis.findings.end(), std::back_inserter(out.findings));
    }
  } catch (const LoadError& error) {
    out.findings.push_back(error.finding());
    out.sources.insert(out.sources.end(), error.sources().begin(), error.sources().end());
  }
}

}  // namespace

CheckedExample ExampleChecker::check(const Example& example) const { return check(example, std::string(example.yaml)); }

CheckedExample ExampleChecker::check(const Example& example, const std::string& text) const {
  const Arguments arguments = arguments_of(example);
  const Environment environment = environment_of(example);
  CheckedExample out;
  const auto load = [&](const Loader& loader) {
    out.loaded = loader.load_text("experiment.yaml", text, arguments.experiment);
  };
  if (example.environment.empty()) {
    load(loader_);
  } else {
    load(Loader(files_, environment));
  }
  out.findings = out.loaded.errors;
  const FitTarget target = target_of(arguments, files_);
  for (const Experiment& experiment : out.loaded.experiments) {
    judge(experiment, arguments.launch, target, environment, out);
  }
  return out;
}

}  // namespace primus_plan
