#include "support/rule_examples.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "config/experiment_rules.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan::test {
namespace {

/// What the first line of an example asks for on the command line: "# run with: ARGUMENTS".
struct Arguments {
  ExperimentOptions experiment;
  LaunchOptions launch;
};

Arguments arguments_of(const Example& example) {
  Arguments out;
  out.launch.world_size = example.world_size.value;
  if (!example.yaml.starts_with(loading::example_arguments)) return out;
  std::istringstream words{std::string(example.yaml.substr(0, example.yaml.find('\n')))};
  words.seekg(static_cast<std::streamoff>(loading::example_arguments.size()));
  for (std::string word, value; words >> word >> value;) {
    if (word == "--set")
      out.experiment.sets.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    if (word == "--primus-root") out.experiment.primus_root = value;
    if (word == "--world-size") out.launch.world_size = std::stoll(value);
    if (word == "--") {
      out.experiment.tokens = {value};
      while (words >> value) out.experiment.tokens.push_back(value);
    }
  }
  return out;
}

/// The variables that an example exports: "NAME=value" words, split by spaces.
Environment environment_of(const Example& example) {
  Environment environment;
  std::string_view rest = example.environment;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    const std::size_t equals = word.find('=');
    environment.set(std::string(word.substr(0, equals)), std::string(word.substr(equals + 1)));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return environment;
}

}  // namespace

ExampleReport check_example(const Example& example, std::string text) {
  const Arguments arguments = arguments_of(example);
  const MemoryFiles files;
  const Environment environment = environment_of(example);
  const Loader loader(files, environment);
  ExampleReport out{.loaded = loader.load_text("experiment.yaml", std::move(text), arguments.experiment),
                    .findings = {}};
  out.findings = out.loaded.errors;
  for (const Experiment& experiment : out.loaded.experiments) {
    try {
      const Launch launch = find_launch(arguments.launch, environment, experiment);
      for (Analysis& analysis : analyze(experiment, launch, environment, {})) {
        std::ranges::move(analysis.findings, std::back_inserter(out.findings));
      }
    } catch (const LoadError& error) {
      out.findings.push_back(error.finding());
    }
  }
  return out;
}

ExampleReport check_example(const Example& example) { return check_example(example, std::string(example.yaml)); }

}  // namespace primus_plan::test
