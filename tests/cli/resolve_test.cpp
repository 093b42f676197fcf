// resolve and why, as a user runs them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class ExperimentCommands : public ::testing::Test {
 protected:
  ExperimentCommands() : path_(folder_.write("exp.yaml", good_experiment)) {}

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(ExperimentCommands, ResolveMergesPresetsBelowParams) {
  const ProcessResult result = run_plan({"resolve", path_, "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json resolved = json::parse(result.out);
  EXPECT_EQ(resolved["exp"]["exp_name"], "small");
  const json& params = resolved["modules"][0]["params"];
  EXPECT_EQ(params["tensor_model_parallel_size"], 2);
  EXPECT_EQ(params["num_layers"], 32) << "from the model preset";
}

TEST_F(ExperimentCommands, ResolvedYamlNamesOrigins) {
  const ProcessResult plain = run_plan({"resolve", path_});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_TRUE(contains(plain.out, "      tensor_model_parallel_size: 2\n")) << plain.out;
  const ProcessResult annotated = run_plan({"resolve", path_, "--origins"});
  EXPECT_TRUE(contains(annotated.out, "# " + path_ + ":12 (experiment)\n")) << annotated.out;
}

TEST_F(ExperimentCommands, ResolvedYamlResolvesToItself) {
  const std::string again = folder_.write("again.yaml", run_plan({"resolve", path_}).out);
  const json first = json::parse(run_plan({"resolve", path_, "--format", "json"}).out);
  const json document = json::parse(run_plan({"resolve", again, "--document", "--format", "json"}).out)["document"];
  EXPECT_EQ(document["modules"]["pre_trainer"]["params"], first["modules"][0]["params"]);
}

/// Primus's parser stops at them: there is no merged experiment, but everything else is told with them.
TEST_F(ExperimentCommands, MissingNamesOfTheOutputFolderHideNothing) {
  std::string text(good_experiment);
  for (const std::string_view key : {"work_group: ", "exp_name: "}) {
    const std::size_t at = text.find(key);
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  const std::string size = "tensor_model_parallel_size: ";
  text.replace(text.find(size) + size.size(), 1, "3");
  const std::string path = folder_.write("nameless.yaml", text);
  const ProcessResult checked = run_plan({"check", path});
  EXPECT_EQ(checked.exit_code, 1);
  for (const char* part : {"no work_group [CF201", "no exp_name [CF201", "MG102"}) {
    EXPECT_TRUE(contains(checked.out, part)) << part << checked.out;
  }
  const ProcessResult resolved = run_plan({"resolve", path});
  EXPECT_EQ(resolved.exit_code, 1);
  EXPECT_EQ(resolved.out, "");
  EXPECT_TRUE(contains(resolved.err, "no work_group [CF201")) << resolved.err;
}

TEST_F(ExperimentCommands, ResolveOfADocument) {
  const std::string child = folder_.write("child.yaml", "extends: base.yaml\nb: ${NAME:3}\n");
  folder_.write("base.yaml", "a: 1\nb: 2\n");
  const ProcessResult result = run_plan({"resolve", child, "--document", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out)["document"];
  EXPECT_EQ(document["a"], 1);
  EXPECT_EQ(document["b"], 3);
  EXPECT_EQ(json::parse(
                run_plan({"resolve", child, "--document", "--format", "json", "--env", "NAME=x"}).out)["document"]["b"],
            "x");
}

TEST_F(ExperimentCommands, WhatCannotBeLoadedIsToldOnStandardError) {
  const std::string broken = folder_.write("broken.yaml", "a: [1\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"resolve", broken}, {"resolve", broken, "--document"}, {"why", broken, "a"}}) {
    const ProcessResult result = run_plan(arguments);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, broken + ":")) << result.err;
  }
  const std::string none = (folder_.path() / "none.yaml").string();
  EXPECT_EQ(run_plan({"resolve", none}).exit_code, 2);
  EXPECT_EQ(run_plan({"resolve", none, "--document"}).exit_code, 1) << "as Primus's parser answers";
}

TEST_F(ExperimentCommands, WhyShowsTheLadder) {
  const ProcessResult result =
      run_plan({"why", path_, "tensor_model_parallel_size", "--set", "tensor_model_parallel_size=4"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("tensor_model_parallel_size = 4  (pre_trainer, megatron)\n")) << result.out;
  const std::size_t preset = result.out.find("preset");
  const std::size_t experiment = result.out.find(path_ + ":12:");
  const std::size_t winner = result.out.find("command line");
  ASSERT_NE(winner, std::string::npos) << result.out;
  EXPECT_LT(preset, experiment) << result.out;
  EXPECT_LT(experiment, winner) << result.out;
}

TEST_F(ExperimentCommands, WhyTakesTheNameOfAModule) {
  EXPECT_EQ(run_plan({"why", path_, "pre_trainer.micro_batch_size"}).out,
            run_plan({"why", path_, "micro_batch_size"}).out);
  EXPECT_TRUE(contains(run_plan({"why", path_, "exp_name"}).out, "exp_name = small"));
}

TEST_F(ExperimentCommands, WhyOfAnUnknownKeyNamesTheNearest) {
  const ProcessResult result = run_plan({"why", path_, "tensor_model_paralel_size"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "did you mean tensor_model_parallel_size")) << result.err;
}

}  // namespace
}  // namespace primus_plan::test
