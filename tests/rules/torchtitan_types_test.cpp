// When a value of another type stops a TorchTitan run: only where the run comes to the line that uses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/loaded_run.h"

namespace primus_plan::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

bool says(const std::string& degrees, std::string_view rule) {
  const LoadedRun run("model: {name: llama3, flavor: 8B}\nparallelism: {" + degrees + "}\n", 8);
  return std::ranges::any_of(run.analysis().findings, [&](const Finding& one) { return one.rule->id == rule; });
}

TEST(TorchTitanTypes, OfPipelinesStopPipelinedRuns) {
  const std::string bad = "pipeline_parallel_microbatch_size: two, ";
  EXPECT_FALSE(says(bad + "pipeline_parallel_degree: 1", "TT821"));
  EXPECT_TRUE(says(bad + "pipeline_parallel_degree: 1", "TT822"));
  EXPECT_TRUE(says(bad + "pipeline_parallel_degree: 2", "TT821"));
}

/// The first finding of a rule about sections and tokens of the command line.
Finding first_of(std::string_view rule, const std::string& sections, const std::vector<std::string>& tokens = {}) {
  static MemoryFiles files;
  static const Environment environment;
  static Loader loader(files, environment);
  ExperimentOptions options;
  options.tokens = tokens;
  const LoadResult loaded =
      loader.load_text("exp.yaml", experiment_text("torchtitan", "llama3.1_8B", sections), options);
  const Launch launch =
      find_launch({.world_size = 8, .nodes = {}, .gpus_per_node = {}}, environment, loaded.experiments.at(0));
  const std::vector<Analysis> analyses = analyze(loaded.experiments.at(0), launch, environment, {});
  for (const Finding& one : analyses.at(0).findings) {
    if (one.rule->id != rule) continue;
    Finding text = one;
    text.primary.origin = {};  // into a text that ends here
    return text;
  }
  return {};
}

TEST(TorchTitanTypes, SwitchesStandForWords) {
  const auto meant = [](const std::string& sections) {
    const Finding finding = first_of("TT821", sections);
    return finding.fixes.empty() ? std::string() : finding.fixes.front().edits.front().replacement;
  };
  EXPECT_EQ(meant("activation_checkpoint: {mode: off}\n"), "none") << "'off' in quotes is no mode either";
  EXPECT_EQ(meant("activation_checkpoint: {mode: on}\n"), "");
  EXPECT_EQ(meant("parallelism: {fsdp_reshard_after_forward: false}\n"), "never");
  EXPECT_EQ(meant("parallelism: {fsdp_reshard_after_forward: yes}\n"), "always");
  EXPECT_THAT(first_of("TT821", "optimizer: {name: off}\n").help, Contains("it is one of Adam, AdamW"));
  EXPECT_THAT(first_of("TT821", "model: {flavor: 8}\n").help, Contains(HasSubstr("8B_flex")));
}

TEST(TorchTitanTypes, TokensOfTheCommandLinePassTextInADict) {
  const std::string selective = "activation_checkpoint: {mode: selective}\n";
  const std::string option = "activation_checkpoint.selective_ac_option=";
  const auto help = Contains(HasSubstr("\"activation_checkpoint={'selective_ac_option': '2'}\""));
  EXPECT_THAT(first_of("TT821", selective, {option + "2"}).help, help);
  EXPECT_THAT(first_of("TT702", selective, {option + "\"2\""}).help, help);
  const std::vector<std::string> offered{"activation_checkpoint={'selective_ac_option': '2'}"};
  EXPECT_EQ(first_of("TT821", selective, offered).rule, nullptr);
  EXPECT_EQ(first_of("TT702", selective, offered).rule, nullptr);
  EXPECT_THAT(first_of("TT821", selective, {"parallelism.tensor_parallel_degree=\"2\""}).help,
              Contains("drop the quotes: on the command line they belong to the value"));
  EXPECT_THAT(first_of("TT821", "activation_checkpoint: {mode: selective, selective_ac_option: 2}\n").help,
              Contains("put the value in quotes"));
}

TEST(TorchTitanTypes, HideNothingThatDoesNotDependOnThem) {
  for (const char* broken : {"tensor_parallel_degree: 16, context_parallel_degree: \"2\"",
                             "tensor_parallel_degree: 16, data_parallel_shard_degree: 8"}) {
    const auto told = [&](std::string_view rule) {
      const std::string degrees = std::string(broken) + ", fsdp_reshard_after_forward: foo";
      const std::string sections = "parallelism: {" + degrees + "}\ntraining: {dtype: bf16, seq_len: 1001}\n";
      return first_of(rule, sections).rule != nullptr;
    };
    EXPECT_TRUE(told("TT603")) << broken;
    EXPECT_TRUE(told("TT712")) << broken;
    EXPECT_TRUE(told("TT502")) << broken;
    EXPECT_TRUE(told("TT601")) << "an odd length never works";
    EXPECT_FALSE(told("TT203"));
  }
  EXPECT_EQ(first_of("TT601", "parallelism: {tensor_parallel_degree: 3}\ntraining: {seq_len: 8192}\n").rule, nullptr)
      << "6 does not divide it, but the degree changes anyway";
}

TEST(TorchTitanQuantization, KeysWaitForTheirConverter) {
  const Finding ignored = first_of("TT730", "quantize: {linear: {float8: {recipe_name: rowwise, emulate: true}}}\n");
  ASSERT_NE(ignored.rule, nullptr);
  EXPECT_THAT(ignored.message, HasSubstr("emulate, quantize.linear.float8.recipe_name have no effect"));
  EXPECT_EQ(first_of("TT730", "quantize: {linear: {float8: {recipe_name: null, emulate: false}}}\n").rule, nullptr);
  EXPECT_NE(first_of("TT730", "quantize: {grouped_mm: {float8: {fqns: [a]}}}\n").rule, nullptr);
}

}  // namespace
}  // namespace primus_plan::test
