// When a value of another type stops a TorchTitan run: only where the run comes to the line that uses it.
#include <gtest/gtest.h>

#include <string>

#include "support/loaded_run.h"

namespace primus_plan::test {
namespace {

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

}  // namespace
}  // namespace primus_plan::test
