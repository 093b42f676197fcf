// The tables and snippets of Primus's parallelism guide: what they give here.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/backends/guide_formula.h"
#include "primus_plan/config/document.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/config/presets.h"
#include "primus_plan/report/keys.h"

namespace primus_plan {
namespace {

Analysis judge_snippet(const std::string& yaml, std::int64_t world) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("snippet.yaml", yaml, {});
  EXPECT_EQ(loaded.experiments.size(), 1U);
  const Launch launch = find_launch({.world_size = world, .nodes = {}, .gpus_per_node = {}}, environment, Pragma{});
  return analyze(loaded.experiments.at(0), launch, environment, {}).at(0);
}

struct BatchRow {
  std::int64_t world;
  std::int64_t micro;
  std::int64_t accumulation;
};

class GuideBatchTable : public testing::TestWithParam<BatchRow> {};

// Section 4: global batch 128 without model parallelism.
TEST_P(GuideBatchTable, GivesTheAccumulationStepsOfTheGuide) {
  const BatchRow& row = GetParam();
  const Analysis analysis =
      judge_snippet("global_batch_size: 128\nmicro_batch_size: " + std::to_string(row.micro) + "\n", row.world);
  EXPECT_EQ(analysis.errors, 0U);
  EXPECT_EQ(analysis.run.degrees.data, row.world);
  EXPECT_EQ(analysis.run.batch.accumulation_steps, row.accumulation);
  EXPECT_EQ(analysis.run.batch.global, 128);
}

INSTANTIATE_TEST_SUITE_P(All, GuideBatchTable,
                         testing::Values(BatchRow{8, 1, 16}, BatchRow{8, 2, 8}, BatchRow{16, 1, 8},
                                         BatchRow{16, 2, 4}));

// Section 6.
constexpr const char* tensor_and_pipeline =
    "tensor_model_parallel_size: 8\npipeline_model_parallel_size: 2\nexpert_model_parallel_size: "
    "1\ncontext_parallel_size: 1\n"
    "sequence_parallel: true\nmicro_batch_size: 1\nglobal_batch_size: 512\n";

TEST(GuideSnippets, DataParallelOnly) {
  const Analysis analysis = judge_snippet(
      "tensor_model_parallel_size: 1\npipeline_model_parallel_size: 1\nexpert_model_parallel_size: "
      "1\ncontext_parallel_size: 1\n"
      "sequence_parallel: false\nmicro_batch_size: 2\nglobal_batch_size: 128\n",
      8);
  EXPECT_EQ(analysis.verdict, Verdict::ok);
  EXPECT_EQ(analysis.run.degrees.data, 8);
  EXPECT_EQ(analysis.run.batch.accumulation_steps, 8);
}

TEST(GuideSnippets, TensorAndPipelineOn64Gpus) {
  const Analysis analysis = judge_snippet(tensor_and_pipeline, 64);
  EXPECT_EQ(analysis.verdict, Verdict::ok);
  EXPECT_EQ(analysis.run.degrees.data, 4);
  EXPECT_EQ(analysis.run.batch.accumulation_steps, 128);
}

TEST(GuideSnippets, TensorAndPipelineDoNotFit8Gpus) {
  const Analysis analysis = judge_snippet(tensor_and_pipeline, 8);
  ASSERT_EQ(analysis.errors, 1U);
  EXPECT_EQ(analysis.findings.at(0).rule->id, "MG102");
}

// Sections 1 and 4 print DP = world / (TP x PP x EP); the runtime does not.
constexpr const char* experts_snippet =
    "expert_model_parallel_size: 8\nnum_experts: 8\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: alltoall\n"
    "micro_batch_size: 2\n";

TEST(GuideFormula, IsShownOnRequestAndSaysSo) {
  const std::string yaml = std::string(experts_snippet) + "global_batch_size: 128\n";
  const Analysis runtime = judge_snippet(yaml, 16);
  EXPECT_EQ(runtime.run.degrees.data, 16);
  EXPECT_EQ(runtime.run.degrees.expert_data, 2);
  EXPECT_EQ(runtime.run.batch.accumulation_steps, 4);
  Analysis guide = runtime;
  show_guide_formula(guide);
  EXPECT_EQ(guide.run.degrees.data, 2);
  EXPECT_EQ(guide.run.batch.accumulation_steps, 32);
  ASSERT_EQ(guide.notes.size(), 1U);
  EXPECT_NE(guide.notes.at(0).find("Megatron itself uses DP 16"), std::string::npos) << guide.notes.at(0);
  EXPECT_NE(guide.notes.at(0).find("and 4 accumulation steps"), std::string::npos) << guide.notes.at(0);
}

TEST(GuideFormula, ClaimsNoStepsOfABatchThatDoesNotRun) {
  // 48 divides by the guide's 2 x DP 2, and not by the 2 x DP 16 that runs.
  Analysis analysis = judge_snippet(std::string(experts_snippet) + "global_batch_size: 48\n", 16);
  ASSERT_EQ(analysis.errors, 1U);
  show_guide_formula(analysis);
  EXPECT_EQ(analysis.run.degrees.data, 2);
  EXPECT_EQ(analysis.run.batch.accumulation_steps, 0);
}

TEST(GuideFormula, HasNoDpWhereItIsNotWhole) {
  Analysis analysis = judge_snippet(std::string(experts_snippet) + "global_batch_size: 48\n", 12);
  show_guide_formula(analysis);
  EXPECT_EQ(analysis.run.degrees.data, 0);
  ASSERT_EQ(analysis.notes.size(), 1U);
  EXPECT_NE(analysis.notes.at(0).find("is no whole number here"), std::string::npos) << analysis.notes.at(0);
}

// Sections 1 and 2: defaults that the guide prints, as values of the built-in presets.
struct Default {
  const char* file;  ///< below configs/
  const char* key;
  const char* value;  ///< as YAML
};

constexpr const char* language_model = "models/megatron/language_model.yaml";
constexpr const char* trainer_base = "modules/megatron/trainer_base.yaml";
constexpr const char* torchtitan_module = "modules/torchtitan/pre_trainer.yaml";

constexpr Default defaults[] = {
    {language_model, "tensor_model_parallel_size", "1"},
    {language_model, "pipeline_model_parallel_size", "1"},
    {language_model, "expert_model_parallel_size", "1"},
    {language_model, "context_parallel_size", "1"},
    {language_model, "sequence_parallel", "true"},
    {language_model, "virtual_pipeline_model_parallel_size", "null"},
    {language_model, "num_layers_per_virtual_pipeline_stage", "null"},
    {trainer_base, "overlap_p2p_comm", "true"},
    {trainer_base, "use_distributed_optimizer", "false"},
    {trainer_base, "use_torch_fsdp2", "false"},
    {trainer_base, "overlap_grad_reduce", "false"},
    {trainer_base, "overlap_param_gather", "false"},
    {trainer_base, "micro_batch_size", "2"},
    {trainer_base, "global_batch_size", "128"},
    {torchtitan_module, "parallelism.tensor_parallel_degree", "1"},
    {torchtitan_module, "parallelism.pipeline_parallel_degree", "1"},
    {torchtitan_module, "parallelism.data_parallel_shard_degree", "-1"},
    {torchtitan_module, "parallelism.data_parallel_replicate_degree", "1"},
    {torchtitan_module, "parallelism.expert_parallel_degree", "1"},
    {torchtitan_module, "parallelism.context_parallel_degree", "1"},
    {torchtitan_module, "parallelism.fsdp_reshard_after_forward", "default"},
    {torchtitan_module, "parallelism.enable_async_tensor_parallel", "false"},
    {torchtitan_module, "parallelism.pipeline_parallel_schedule", "1F1B"},
    {torchtitan_module, "parallelism.pipeline_parallel_microbatch_size", "1"},
    {torchtitan_module, "training.global_batch_size", "-1"},
    {torchtitan_module, "training.local_batch_size", "8"},
};

TEST(GuideDefaults, AreThoseOfTheBuiltInPresets) {
  const MemoryFiles none;
  const FilesWithPresets files(none);
  for (const Default& row : defaults) {
    const std::string path = std::string(built_in_folder) + "/configs/" + row.file;
    const Document document = load_document(path, Layer::module_preset, files, Environment());
    const Node* value = document.root->at_path(row.key);
    ASSERT_NE(value, nullptr) << row.file << " " << row.key;
    EXPECT_EQ(to_text(*value), row.value) << row.file << " " << row.key;
  }
}

// Section 3: MaxText's own defaults, which the guide quotes from base.yml.
TEST(GuideDefaults, OfMaxTextAreInTheCatalogue) {
  const std::pair<const char*, const char*> rows[] = {{"ici_tensor_parallelism", "1"},
                                                      {"ici_fsdp_parallelism", "-1"},
                                                      {"dcn_data_parallelism", "-1"},
                                                      {"dcn_fsdp_parallelism", "1"}};
  for (const auto& [key, value] : rows) {
    const auto found = find_keys("maxtext", key);
    ASSERT_EQ(found.size(), 1U) << key;
    EXPECT_EQ(found.front()->default_value, value) << key;
  }
  EXPECT_FALSE(find_keys("maxtext", "per_device_batch_size").empty());
}

// Section 6: TorchTitan with TP 4, PP 2, a shard degree that is solved for, local batch 4 and global batch 256.
constexpr const char* titan_snippet =
    "parallelism:\n  tensor_parallel_degree: 4\n  pipeline_parallel_degree: 2\n"
    "  data_parallel_replicate_degree: 1\n  data_parallel_shard_degree: -1\n  expert_parallel_degree: 1\n"
    "  context_parallel_degree: 1\n  pipeline_parallel_schedule: 1F1B\n  pipeline_parallel_microbatch_size: 1\n"
    "  enable_async_tensor_parallel: false\ntraining:\n  global_batch_size: 256\n  local_batch_size: 4\n";

struct Outcome {
  std::int64_t world;
  std::int64_t data;
  std::int64_t accumulation;
};

class GuideTorchTitan : public testing::TestWithParam<Outcome> {};

// Section 2 leaves accumulation out of its formula: local batch x DP x steps is what runs.
TEST_P(GuideTorchTitan, AccumulatesUpToTheGlobalBatch) {
  const Analysis analysis = judge_snippet(titan_snippet, GetParam().world);
  EXPECT_EQ(analysis.framework, "torchtitan");
  EXPECT_EQ(analysis.errors, 0U);
  EXPECT_EQ(analysis.run.degrees.data, GetParam().data);
  EXPECT_EQ(analysis.run.batch.accumulation_steps, GetParam().accumulation);
  EXPECT_EQ(analysis.run.batch.global, 256);
  EXPECT_EQ(analysis.run.batch.pipeline_micro_batches, 4);
}

INSTANTIATE_TEST_SUITE_P(All, GuideTorchTitan,
                         testing::Values(Outcome{8, 1, 64}, Outcome{16, 2, 32}, Outcome{64, 8, 8}));

TEST(GuideTorchTitanBatch, WithoutAGlobalBatchIsTheFormulaOfTheGuide) {
  for (const std::int64_t world : {8, 16, 64}) {
    const Analysis analysis = judge_snippet(
        "parallelism:\n  data_parallel_replicate_degree: 2\n  data_parallel_shard_degree: -1\ntraining:\n"
        "  local_batch_size: 8\n",
        world);
    EXPECT_EQ(analysis.run.degrees.data_replicate, 2);
    EXPECT_EQ(analysis.run.degrees.data_shard, world / 2);
    EXPECT_EQ(analysis.run.batch.global, 8 * 2 * (world / 2));
    EXPECT_EQ(analysis.run.batch.accumulation_steps, 1);
  }
}

// Section 3.
TEST(GuideMaxText, IciInTheNodeAndDcnBetweenNodes) {
  for (const std::int64_t world : {8, 16, 64}) {
    const Analysis analysis = judge_snippet(
        "ici_tensor_parallelism: 2\nici_fsdp_parallelism: -1\ndcn_data_parallelism: -1\ndcn_fsdp_parallelism: 1\n"
        "per_device_batch_size: 4\n",
        world);
    EXPECT_EQ(analysis.framework, "maxtext");
    EXPECT_EQ(analysis.verdict, Verdict::ok);
    EXPECT_EQ(analysis.run.degrees.tensor, 2);
    EXPECT_EQ(analysis.run.degrees.data, world / 2);
    EXPECT_EQ(analysis.run.degrees.data_shard, 4);
    EXPECT_EQ(analysis.run.batch.global, 4 * world);
  }
}

// Section 5: the illustrations.
struct Profile {
  const char* yaml;
  std::int64_t world;
  std::int64_t data;
};

class GuideProfiles : public testing::TestWithParam<Profile> {};

TEST_P(GuideProfiles, HaveTheReplicasOfTheGuide) {
  const Analysis analysis = judge_snippet(GetParam().yaml, GetParam().world);
  EXPECT_EQ(analysis.errors, 0U);
  EXPECT_EQ(analysis.run.degrees.data, GetParam().data);
}

// The third leaves its GPUs open ("many"); with experts split by TP as well it needs 256, of whole experts 32.
INSTANTIATE_TEST_SUITE_P(
    All, GuideProfiles,
    testing::Values(Profile{"tensor_model_parallel_size: 1\npipeline_model_parallel_size: 1\n", 8, 8},
                    Profile{"tensor_model_parallel_size: 8\npipeline_model_parallel_size: 2\n", 64, 4},
                    Profile{"tensor_model_parallel_size: 8\npipeline_model_parallel_size: 4\n"
                            "expert_model_parallel_size: 8\nnum_layers: 64\nnum_experts: 256\nmoe_grouped_gemm: true\n"
                            "global_batch_size: 256\nmicro_batch_size: 1\n",
                            256, 8}));

// Section 1: sequence parallel is for TP above 1 only.
TEST(GuideSequenceParallel, IsSwitchedOffWithoutTensorParallel) {
  const Analysis analysis = judge_snippet("sequence_parallel: true\ntensor_model_parallel_size: 1\n", 8);
  EXPECT_EQ(analysis.errors, 0U);
  bool rewritten = false;
  for (const Rewrite& rewrite : analysis.rewrites) {
    rewritten = rewritten || (rewrite.key == "sequence_parallel" && rewrite.to == "false");
  }
  EXPECT_TRUE(rewritten);
}

// Context parallel ranks work on the same samples, expert parallel ranks do not.
TEST(GuideDifferences, ContextCountsAndExpertsDoNot) {
  const Analysis context = judge_snippet("context_parallel_size: 4\nglobal_batch_size: 32\nmicro_batch_size: 1\n", 16);
  EXPECT_EQ(context.run.degrees.data, 4);
  const Analysis experts = judge_snippet(
      "expert_model_parallel_size: 4\nnum_experts: 8\nmoe_grouped_gemm: true\nglobal_batch_size: 32\n"
      "micro_batch_size: 1\n",
      16);
  EXPECT_EQ(experts.run.degrees.data, 16);
  EXPECT_EQ(experts.run.degrees.expert_data, 4);
}

}  // namespace
}  // namespace primus_plan
