// When a value of another type stops a TorchTitan run: only where the run comes to the line that uses it.
#include <gtest/gtest.h>

#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

/// Whether the rule is among what these lines give on 8 GPUs.
bool says(const std::string& yaml, std::string_view rule) {
  const MemoryFiles files;
  const Environment environment;
  const LoadResult loaded =
      Loader(files, environment).load_text("case.yaml", "model: {name: llama3, flavor: 8B}\n" + yaml, {});
  const Launch launch{.world_size = 8, .nodes = 1, .gpus_per_node = 8, .source = {}, .assumed = false};
  for (const Experiment& experiment : loaded.experiments) {
    for (const Analysis& analysis : analyze(experiment, launch, environment, {})) {
      for (const Finding& finding : analysis.findings) {
        if (finding.rule->id == rule) return true;
      }
    }
  }
  return false;
}

struct Case {
  const char* name;
  std::string value;    ///< of another type
  std::string without;  ///< a run that does not use it
  std::string with;
};

class TorchTitanTypes : public ::testing::TestWithParam<Case> {};

TEST_P(TorchTitanTypes, StopRunsThatUseThem) {
  const Case& one = GetParam();
  const auto yaml = [&](const std::string& more) { return "parallelism: {" + one.value + more + "}\n"; };
  EXPECT_FALSE(says(yaml(one.without), "TT821"));
  EXPECT_TRUE(says(yaml(one.without), "TT822"));
  EXPECT_TRUE(says(yaml(one.with), "TT821"));
}

INSTANTIATE_TEST_SUITE_P(Of, TorchTitanTypes,
                         ::testing::Values(Case{"Pipeline", "pipeline_parallel_microbatch_size: two",
                                                ", pipeline_parallel_degree: 1", ", pipeline_parallel_degree: 2"}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace primus_plan
