// plan, as a user runs it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(PlanCommand, PlansForAModel) {
  const ProcessResult result = run_plan({"plan", "--model", "llama3.1_8B", "--gpus", "8", "--hardware", "MI300X"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"llama3.1_8B on 8 x MI300X", "tokens/s/GPU", "why the first", "Pareto front",
                           "one step from the first", "turned down", "confidence"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << " in:\n" << result.out;
  }
}

TEST(PlanCommand, KeepsTheBatchOfAFileAndComparesWithIt) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult result = run_plan({"plan", file, "--hardware", "MI300X"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "as the experiment has it")) << result.out;
  EXPECT_TRUE(contains(result.out, "the file as it is")) << result.out;
}

TEST(PlanCommand, TheWrittenCopyPassesCheckAndKeepsComments) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const std::string copy = (folder.path() / "copy.yaml").string();
  EXPECT_EQ(run_plan({"plan", file, "--gpus", "16", "--pin", "tp=4", "--write", copy}).exit_code, 0);
  const std::string text = read_file(copy);
  EXPECT_TRUE(contains(text, "tensor_model_parallel_size: 4")) << text;
  const json checked = json::parse(run_plan({"check", copy, "--world-size", "16", "--format", "json"}).out);
  EXPECT_EQ(checked.at("files").at(0).at("degrees").at("tensor"), 4);
  EXPECT_EQ(checked.at("summary").at("errors"), 0);
}

TEST(PlanCommand, NodesNeedNotBeFull) {
  const TemporaryFolder folder;
  const std::string copy = (folder.path() / "copy.yaml").string();
  EXPECT_EQ(run_plan({"plan", "--model", "llama3.1_8B", "--gpus", "12", "--write", copy}).exit_code, 0);
  const ProcessResult checked = run_plan({"check", copy});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_TRUE(contains(checked.out, "12 GPUs on 2 nodes of 8")) << checked.out;
}

TEST(PlanCommand, EmitPrintsOverridesOnly) {
  const ProcessResult result =
      run_plan({"plan", "--model", "llama3.1_8B", "--backend", "torchtitan", "--gpus", "8", "--emit", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("parallelism:\n  tensor_parallel_degree: ")) << result.out;
}

TEST(PlanCommand, JsonHasEverything) {
  const std::vector<std::string> arguments{"plan", "--model", "llama3.1_8B", "--gpus", "8,16", "--format", "json"};
  const ProcessResult result = run_plan(arguments);
  const json out = json::parse(result.out);
  EXPECT_EQ(out.at("world_sizes"), json({8, 16}));
  EXPECT_GE(out.at("plans").size(), 2U);
  for (const char* key : {"search", "front", "reasons", "sensitivity", "layouts_as_fast_within_error"}) {
    EXPECT_TRUE(out.contains(key)) << key;
  }
  const json& plan = out.at("plans").at(0);
  EXPECT_LE(plan.at("memory_bytes").at("low"), plan.at("memory_bytes").at("expected"));
  EXPECT_TRUE(plan.at("overrides").contains("tensor_model_parallel_size"));
  std::vector<std::string> two_threads = arguments;
  two_threads.insert(two_threads.end(), {"--jobs", "3"});
  EXPECT_EQ(run_plan(two_threads).out, result.out);
}

TEST(PlanCommand, NonsenseGetsAReason) {
  struct Ask {
    std::vector<std::string> arguments;
    const char* answer;
    int exit_code;
  };
  for (const Ask& ask : {Ask{{"plan"}, "give an experiment", 2},
                         Ask{{"plan", "--model", "llama3.1_71B", "--gpus", "8"}, "did you mean llama3.1_70B", 2},
                         Ask{{"plan", "--model", "llama3.1_8B"}, "give the number of GPUs", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "8", "--seq", "0"}, "whole number from 1", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "64:8"}, "ends before it begins", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "8", "--pin", "tq=1"}, "AXIS one of tp", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "8", "--pin", "tp=x"}, "tp takes a whole", 2},
                         Ask{{"plan", "--model", "deepseek_v3", "--gpus", "7"}, "nearest that works: ", 1}}) {
    const ProcessResult result = run_plan(ask.arguments);
    EXPECT_EQ(result.exit_code, ask.exit_code) << ask.answer;
    EXPECT_TRUE(contains(result.out + result.err, ask.answer)) << ask.answer << " in:\n" << result.out << result.err;
  }
}

}  // namespace
}  // namespace primus_plan::test
