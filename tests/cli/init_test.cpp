// models, init and the topics of explain, as a user runs them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(ModelsCommand, ListsPresetsWithTheirSizes) {
  const ProcessResult result = run_plan({"models", "--backend", "megatron", "deepseek_v3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "682.6B (38.2B active, 671B without MTP)")) << result.out;
  EXPECT_TRUE(contains(result.out, "8 of 256")) << result.out;
  EXPECT_FALSE(contains(result.out, "_base")) << result.out;
}

TEST(ModelsCommand, GivesJson) {
  const json answer = json::parse(run_plan({"models", "--format", "json"}).out);
  EXPECT_EQ(answer.at("presets"), "built-in");
  EXPECT_GT(answer.at("models").size(), 100U);
  const json llama =
      json::parse(run_plan({"models", "--format", "json", "--backend", "maxtext", "llama3_8B"}).out).at("models").at(0);
  EXPECT_EQ(llama.at("preset"), "llama3_8B.yaml");
  EXPECT_EQ(llama.at("layers"), 32);
  EXPECT_EQ(llama.at("hidden"), 4096);
  EXPECT_EQ(llama.at("heads"), 32);
  EXPECT_TRUE(llama.at("experts").is_null());
}

/// models, estimate, why and init count the same parameters of the same model.
TEST(ModelsCommand, CountsAsEstimateDoes) {
  const TemporaryFolder folder;
  const std::string file = folder.write("own.yaml", "");
  for (const auto& [framework, name] : {std::pair("megatron", "deepseek_v3"), std::pair("megatron", "zebra_llama_8B"),
                                        std::pair("megatron", "llama2_7B"), std::pair("torchtitan", "deepseek_v3_16b"),
                                        std::pair("maxtext", "mixtral_8x7B")}) {
    const json listed =
        json::parse(run_plan({"models", "--format", "json", "--backend", framework, std::string(name) + ".yaml"}).out);
    const json& model = listed.at("models").at(0);
    ASSERT_EQ(model.at("model"), name);
    folder.write("own.yaml", std::string("work_group: w\nuser_name: u\nexp_name: e\nworkspace: w\nmodules:\n"
                                         "  pre_trainer:\n    framework: ") +
                                 framework + "\n    config: pre_trainer.yaml\n    model: " + name + ".yaml\n");
    const json estimate =
        json::parse(run_plan({"estimate", file, "--world-size", "8", "--format", "json"}).out).at("parameters");
    EXPECT_EQ(model.at("parameters"), estimate.at("total")) << name;
    EXPECT_EQ(model.at("active_parameters"), estimate.at("active")) << name;
  }
}

TEST(InitCommand, SaysWhatTheParametersHaveBeyondThePublishedSize) {
  const std::string made = run_plan({"init", "--model", "deepseek_v3", "--gpus", "1024"}).out;
  EXPECT_TRUE(contains(made, "# 683B parameters (671B without multi-token prediction): ")) << made;
  const std::string estimate = run_plan({"estimate", "-"}, {.input = made}).out;
  EXPECT_TRUE(contains(estimate, "683 B parameters, 38.2 B of them active; 671 B without multi-token prediction"))
      << estimate;
}

TEST(ModelsCommand, NamesTheNearestWhenThereIsNone) {
  const ProcessResult result = run_plan({"models", "llama31_8B"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "did you mean llama3.1_8B?")) << result.err;
}

TEST(InitCommand, WritesWhatCheckPasses) {
  const ProcessResult made = run_plan({"init", "--model", "llama3.1_70B", "--gpus", "64", "--hardware", "mi300x"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(made.out.starts_with("# primus-plan: world-size=64\n# ")) << made.out;
  const ProcessResult checked = run_plan({"check", "-", "--strict"}, {.input = made.out});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_TRUE(contains(checked.out, "64 GPUs")) << checked.out;
}

TEST(InitCommand, WritesNoDiffusionModel) {
  const ProcessResult result = run_plan({"init", "--model", "diffusion/flux_12b", "--gpus", "8"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "trainer_class")) << result.err;
}

TEST(InitCommand, NeverReplacesAFile) {
  const TemporaryFolder folder;
  const std::vector<std::string> command = {"init", "--model", "llama3.1_8B", "--output", "new.yaml"};
  EXPECT_EQ(run_plan(command, {.folder = folder.path().string()}).exit_code, 0);
  const ProcessResult again = run_plan(command, {.folder = folder.path().string()});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_TRUE(contains(again.err, "new.yaml is there already")) << again.err;
}

TEST(InitCommand, KnowsNearModelsAndHardware) {
  EXPECT_TRUE(contains(run_plan({"init", "--model", "llama31_70B"}).err, "did you mean llama3.1_70B"));
  EXPECT_TRUE(contains(run_plan({"init", "--model", "llama3.1_8B", "--hardware", "MI3"}).err, "MI300X"));
}

TEST(InitCommand, SaysHowManyGpusWouldDo) {
  const ProcessResult result = run_plan({"init", "--model", "deepseek_v3", "--gpus", "8"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "does not fit 8 MI300X")) << result.err;
  EXPECT_TRUE(contains(result.err, " would do")) << result.err;
}

TEST(ExplainCommand, HasThreeTopics) {
  for (const std::string topic : {"parallelism", "batch", "choosing"}) {
    const ProcessResult result = run_plan({"explain", topic});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_GT(result.out.size(), 1000U);
    const json page = json::parse(run_plan({"explain", topic, "--format", "json"}).out);
    EXPECT_EQ(page.at("topic"), topic);
  }
  EXPECT_TRUE(contains(run_plan({"explain", "paralelism"}).err, "did you mean parallelism"));
}

TEST(Snippets, SeveralDocumentsAreJudgedOneByOne) {
  const std::string text =
      "tensor_model_parallel_size: 8\nglobal_batch_size: 64\n---\nparallelism:\n  tensor_parallel_degree: 8\n---\n"
      "ici_tensor_parallelism: 8\nper_device_batch_size: 1\n";
  const json files =
      json::parse(run_plan({"check", "-", "--world-size", "16", "--format", "json"}, {.input = text}).out).at("files");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files.at(0).at("backend"), "megatron");
  EXPECT_EQ(files.at(1).at("backend"), "torchtitan");
  EXPECT_EQ(files.at(2).at("backend"), "maxtext");
  for (const json& file : files) EXPECT_EQ(file.at("degrees").at("tensor"), 8);
}

TEST(Presets, ReportsNameTheVersionOfPrimus) {
  const std::string snippet = "tensor_model_parallel_size: 2\n";
  EXPECT_TRUE(contains(run_plan({"check", "-", "--world-size", "8"}, {.input = snippet}).out,
                       "presets: built-in, Primus fd1eeabb"));
  const json report =
      json::parse(run_plan({"check", "-", "--world-size", "8", "--format", "json"}, {.input = snippet}).out);
  EXPECT_EQ(report.at("tool").at("pins").at("primus"), "Primus fd1eeabb");
  EXPECT_EQ(report.at("files").at(0).at("presets"), "built-in");
}

TEST(Presets, AMissingOneSaysWhatTheBuiltInOnesAre) {
  const std::string text =
      "work_group: a\nuser_name: b\nexp_name: c\nworkspace: d\nmodules:\n  pre_trainer:\n    framework: megatron\n"
      "    config: pre_trainer.yaml\n    model: our_own.yaml\n";
  const ProcessResult result = run_plan({"check", "-"}, {.input = text});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out, "the built-in presets are those of Primus fd1eeabb")) << result.out;
}

TEST(Typo, OfAKeyExplainsItself) {
  const ProcessResult result =
      run_plan({"check", "-", "--world-size", "64"}, {.input = "tensor_model_parallel_sze: 8\n"});
  EXPECT_TRUE(contains(result.out, "tensor_model_parallel_sze has no effect")) << result.out;
  EXPECT_TRUE(contains(result.out, "did you mean tensor_model_parallel_size?")) << result.out;
}

}  // namespace
}  // namespace primus_plan::test
