// The tables and snippets of Primus's parallelism guide, as far as Megatron: what they give here.
#include <gtest/gtest.h>

#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"

namespace primus_plan {
namespace {

Analysis judge_snippet(const std::string& yaml, std::int64_t world, DpFormula formula = DpFormula::runtime) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("snippet.yaml", yaml, {});
  EXPECT_EQ(loaded.experiments.size(), 1U);
  const Launch launch = find_launch({.world_size = world, .nodes = {}, .gpus_per_node = {}}, environment, Pragma{});
  return analyze(loaded.experiments.at(0), launch, environment, {.dp_formula = formula}).at(0);
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
TEST(GuideFormula, IsComputedOnRequestAndSaysSo) {
  const std::string yaml =
      "expert_model_parallel_size: 8\nnum_experts: 8\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: alltoall\n"
      "micro_batch_size: 2\nglobal_batch_size: 128\n";
  const Analysis runtime = judge_snippet(yaml, 16);
  EXPECT_EQ(runtime.run.degrees.data, 16);
  EXPECT_EQ(runtime.run.degrees.expert_data, 2);
  EXPECT_EQ(runtime.run.batch.accumulation_steps, 4);
  const Analysis guide = judge_snippet(yaml, 16, DpFormula::guide);
  EXPECT_EQ(guide.run.degrees.data, 2);
  EXPECT_EQ(guide.run.batch.accumulation_steps, 32);
  ASSERT_EQ(guide.notes.size(), 1U);
  EXPECT_NE(guide.notes.at(0).find("Megatron itself uses DP 16"), std::string::npos) << guide.notes.at(0);
}

}  // namespace
}  // namespace primus_plan
