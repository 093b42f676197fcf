#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LoadResult load(const std::string& text, const ExperimentOptions& options = {}) {
  const MemoryFiles files;
  return Loader(files, Environment()).load_text("snippet.yaml", text, options);
}

std::vector<std::string> names(const std::vector<Finding>& findings) {
  std::vector<std::string> result;
  for (const Finding& finding : findings) result.emplace_back(finding.rule->name);
  return result;
}

std::string framework_of(const std::string& text, const ExperimentOptions& options = {}) {
  const LoadResult result = load(text, options);
  return result.experiments.size() == 1 ? result.experiments[0].modules.at(0).framework
                                        : std::string(result.errors.at(0).rule->name);
}

TEST(Snippet, TheKeysTellTheBackend) {
  EXPECT_EQ(framework_of("tensor_model_parallel_size: 8\nsequence_parallel: true\n"), "megatron");
  EXPECT_EQ(framework_of("global_batch_size: 100\n"), "megatron");
  EXPECT_EQ(framework_of("tensor_parallel_size: 2\n"), "megatron") << "misspelt, but Megatron's way to write";
  EXPECT_EQ(framework_of("add_bias_linear: true\n"), "megatron") << "known from its presets";
  EXPECT_EQ(framework_of("parallelism:\n  tensor_parallel_degree: 4\ntraining:\n  local_batch_size: 4\n"),
            "torchtitan");
  EXPECT_EQ(framework_of("ici_fsdp_parallelism: 8\n"), "maxtext");
  EXPECT_EQ(framework_of("per_device_batch_size: 2\nvocab_size: 32000\n"), "maxtext");
}

TEST(Snippet, DoubtIsAskedAbout) {
  EXPECT_EQ(framework_of("num_experts: 8\n"), "snippet-backend-unknown");
  EXPECT_EQ(framework_of("num_experts: 8\n", {.backend = "maxtext"}), "maxtext");
  EXPECT_EQ(framework_of("ici_fsdp_parallelism: 8\nmicro_batch_size: 1\n"), "snippet-backend-unknown");
  EXPECT_EQ(framework_of("micro_batch_size: 1\n", {.backend = "jax"}), "snippet-backend-unknown");
  EXPECT_EQ(framework_of("hardware_config:\n  node_size: 8\n"), "not-an-experiment");
  EXPECT_EQ(framework_of("exp_name: x\n"), "missing-key");
}

TEST(Snippet, PresetsAndASmallModelAreAssumedAround) {
  const LoadResult result = load("seq_length: 4096\nmoe_layer_freq: \"null\"\n");
  ASSERT_EQ(result.experiments.size(), 1U) << result.errors.at(0).message;
  const Experiment& experiment = result.experiments[0];
  EXPECT_TRUE(experiment.is_snippet);
  EXPECT_EQ(experiment.presets, "built-in");
  const Module& module = experiment.modules.at(0);
  EXPECT_EQ(module.name, "pre_trainer");
  EXPECT_EQ(module.config, "pre_trainer.yaml");
  EXPECT_EQ(module.model, "language_model.yaml");
  EXPECT_EQ(module.params->get("max_position_embeddings")->integer, 4096);
  EXPECT_EQ(module.params->get("max_position_embeddings")->origin.layer, Layer::backend_default);
  EXPECT_EQ(module.params->get("position_embedding_type")->text, "rope");
  EXPECT_TRUE(module.params->get("mock_data")->boolean);
  EXPECT_EQ(to_string(module.params->get("seq_length")->origin), "snippet.yaml:1:13");
  EXPECT_EQ(module.params->get("micro_batch_size")->integer, 2);
  EXPECT_TRUE(module.params->get("moe_layer_freq")->is_null());
  EXPECT_EQ(load("max_position_embeddings: 7\nseq_length: 4\n")
                .experiments.at(0)
                .modules.at(0)
                .params->get("max_position_embeddings")
                ->integer,
            7);
}

TEST(Snippet, DocumentsAreExperimentsOfTheirOwn) {
  const LoadResult result = load(
      "# primus-plan: world-size=8\nmicro_batch_size: 1\n---\n# primus-plan: world-size=16\nmicro_batch_size: 2\n");
  ASSERT_EQ(result.experiments.size(), 2U) << result.errors.at(0).message;
  EXPECT_EQ(result.experiments[0].path, "snippet.yaml");
  EXPECT_EQ(result.experiments[1].path, "snippet.yaml#2");
  EXPECT_EQ(result.experiments[0].pragma.world_size, 8);
  EXPECT_EQ(result.experiments[1].pragma.world_size, 16);
  EXPECT_EQ(to_string(result.experiments[1].modules.at(0).params->get("micro_batch_size")->origin),
            "snippet.yaml:5:19");
  EXPECT_EQ(framework_of("micro_batch_size: 1\n---\nwork_group: x\nmodules: {}\n"), "several-documents");
}

TEST(Snippet, CommandLineAndVariablesReachIt) {
  const MemoryFiles files;
  Environment environment;
  environment.set("TP", "4");
  const LoadResult result =
      Loader(files, environment)
          .load_text("-", "tensor_model_parallel_size: ${TP:1}\n", {.sets = {{"seq_length", "8"}}});
  ASSERT_EQ(result.experiments.size(), 1U) << result.errors.at(0).message;
  EXPECT_EQ(result.experiments[0].modules.at(0).params->get("tensor_model_parallel_size")->integer, 4);
  EXPECT_EQ(result.experiments[0].modules.at(0).params->get("seq_length")->integer, 8);
}

TEST(Pragma, IsACommentAnywhereInTheFile) {
  const LoadResult result =
      load("micro_batch_size: 1\n  # primus-plan: nodes=8, gpus-per-node=4\n# primus-plan: world-size=2\n");
  ASSERT_EQ(result.experiments.size(), 1U);
  const Pragma& pragma = result.experiments[0].pragma;
  EXPECT_EQ(pragma.nodes, 8);
  EXPECT_EQ(pragma.gpus_per_node, 4);
  EXPECT_FALSE(pragma.world_size.has_value()) << "the first line with a size counts";
  EXPECT_EQ(to_string(pragma.origin), "snippet.yaml:2:18");
  EXPECT_THAT(result.experiments[0].remarks, IsEmpty());
}

TEST(Pragma, WhatIsNotUnderstoodIsARemark) {
  const auto remarks = [](const std::string& comment) {
    const LoadResult result = load(comment + "\nmicro_batch_size: 1\n");
    return result.experiments.empty() ? std::vector<std::string>{"error"} : names(result.experiments[0].remarks);
  };
  EXPECT_THAT(remarks("# primus-plan: ignore[MG203, CF101] world-size=8"), IsEmpty());
  EXPECT_THAT(remarks("# the primus-plan: world-size=0 in prose"), IsEmpty());
  EXPECT_THAT(remarks("# primus-plan: world-size=0"), ElementsAre("bad-pragma"));
  EXPECT_THAT(remarks("# primus-plan: world-size"), ElementsAre("bad-pragma"));
  EXPECT_THAT(remarks("# primus-plan: worldsize=8 nodes=99999999999999999999"),
              ElementsAre("bad-pragma", "bad-pragma"));
}

}  // namespace
}  // namespace primus_plan
