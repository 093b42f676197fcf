// Every rule's own examples: `bad` fires exactly that rule at its severity, `good` is silent.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "config/experiment_rules.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan {
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

/// What `check` would find in a rule's example, as "ID severity" words. Advice of other rules does not count: an
/// example of eight GPUs is rarely a well laid out run.
std::multiset<std::string> fired(const RuleInfo& rule, const Example& example) {
  const Arguments arguments = arguments_of(example);
  const MemoryFiles files;
  const Environment environment = environment_of(example);
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("experiment.yaml", std::string(example.yaml), arguments.experiment);
  std::multiset<std::string> out;
  const auto add = [&](const Finding& finding) {
    if (finding.rule->stage == Stage::advice && finding.rule != &rule) return;
    out.insert(std::string(finding.rule->id) + " " + std::string(to_string(finding.severity)));
  };
  for (const Finding& error : loaded.errors) add(error);
  for (const Experiment& experiment : loaded.experiments) {
    Launch launch;
    try {
      launch = find_launch(arguments.launch, environment, experiment);
    } catch (const LoadError& error) {
      add(error.finding());
      continue;
    }
    for (const Analysis& analysis : analyze(experiment, launch, environment, {})) {
      for (const Finding& finding : analysis.findings) add(finding);
    }
  }
  return out;
}

class RuleExamples : public testing::TestWithParam<const RuleInfo*> {};

TEST_P(RuleExamples, BadFiresThisRuleAlone) {
  const RuleInfo& rule = *GetParam();
  const std::string expected = std::string(rule.id) + " " + std::string(to_string(rule.severity));
  const auto found = fired(rule, rule.bad);
  EXPECT_TRUE(found.contains(expected)) << "the bad example of " << expected << " does not fire it:\n" << rule.bad.yaml;
  for (const std::string& other : found) {
    EXPECT_EQ(other, expected) << "the bad example of " << expected << " also fires " << other;
  }
}

TEST_P(RuleExamples, GoodIsSilent) {
  const RuleInfo& rule = *GetParam();
  for (const std::string& other : fired(rule, rule.good)) {
    ADD_FAILURE() << "the good example of " << rule.id << " fires " << other << ":\n" << rule.good.yaml;
  }
}

TEST_P(RuleExamples, IsDescribed) {
  const RuleInfo& rule = *GetParam();
  EXPECT_FALSE(rule.summary.empty());
  EXPECT_FALSE(rule.explanation.empty());
  EXPECT_TRUE(rule.summary.ends_with('.')) << rule.summary;
  EXPECT_FALSE(rule.outcome.ends_with('.')) << rule.outcome;
  EXPECT_EQ(rule.runtime_site.empty(), rule.stage == Stage::advice) << rule.id;
}

INSTANTIATE_TEST_SUITE_P(All, RuleExamples, testing::ValuesIn(all_rules()),
                         [](const auto& test) { return std::string(test.param->id); });

TEST(Rules, IdsAndNamesAreUnique) {
  std::set<std::string_view> seen;
  for (const RuleInfo* rule : all_rules()) {
    EXPECT_TRUE(seen.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(seen.insert(rule->name).second) << rule->name;
  }
}

}  // namespace
}  // namespace primus_plan
