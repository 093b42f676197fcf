#include "primus_plan/planner/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/loaded_run.h"

namespace primus_plan {
namespace {

using test::experiment_text;
using test::LoadedRun;

constexpr const char* base = "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: 4096\nlr: 1.0e-4\n";

Comparison compare(const LoadedRun& a, const LoadedRun& b) {
  return compare_runs({a.analysis(), a.module()}, {b.analysis(), b.module()});
}

LoadedRun megatron(const std::string& more, std::int64_t world = 16) {
  return LoadedRun(experiment_text("megatron", "llama3.1_8B", base + more), world);
}

CheckpointAnswer resumes(const std::string& a, const std::string& b) {
  const LoadedRun before = megatron(a);
  const LoadedRun after = megatron(b);
  EXPECT_EQ(before.analysis().errors, 0U) << a;
  EXPECT_EQ(after.analysis().errors, 0U) << b;
  return checkpoint_loads({before.analysis(), before.module()}, {after.analysis(), after.module()});
}

TEST(Compare, ARunIsItself) {
  const LoadedRun a = megatron("");
  const LoadedRun b = megatron("");
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(comparison.is_same());
  EXPECT_EQ(comparison.checkpoint.resumes, Resumes::yes);
}

TEST(Compare, DegreesAndLogsTrainTheSame) {
  const LoadedRun a = megatron("");
  const LoadedRun b = megatron(
      "tensor_model_parallel_size: 2\nlog_interval: 7\nrecompute_granularity: full\n"
      "recompute_method: uniform\nrecompute_num_layers: 1\n");
  const Comparison comparison = compare(a, b);
  EXPECT_FALSE(comparison.is_same());
  EXPECT_TRUE(comparison.trains_the_same);
  for (const ValueDifference& value : comparison.values) EXPECT_NE(value.effect, Effect::trains) << value.key;
}

TEST(Compare, BatchRateAndModelTrainSomethingElse) {
  const LoadedRun a = megatron("");
  EXPECT_FALSE(compare(a, megatron("global_batch_size: 128\n")).trains_the_same);
  EXPECT_FALSE(compare(a, megatron("weight_decay: 0.25\n")).trains_the_same);
  const LoadedRun other(experiment_text("megatron", "llama3.2_1B", base), 16);
  EXPECT_FALSE(compare(a, other).trains_the_same);
}

TEST(Compare, KeysThatNothingReadsChangeNothing) {
  const LoadedRun a = megatron("");
  const LoadedRun b = megatron("tensor_parallel_sze: 2\nmy_section:\n  rate: 3\n");
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(comparison.trains_the_same);
  ASSERT_EQ(comparison.values.size(), 2U);
  for (const ValueDifference& value : comparison.values) EXPECT_EQ(value.effect, Effect::unread) << value.key;
  // Keys of Primus and entries of a mapping that is read are read.
  const LoadedRun c = megatron("disable_last_saving: true\ntrain_data_cache_path: /tmp\nweight_decay: 0.25\n");
  for (const ValueDifference& value : compare(a, c).values) {
    EXPECT_EQ(value.effect == Effect::unread, value.key == "train_data_cache_path") << value.key;
  }
}

TEST(Compare, EffectsByKey) {
  EXPECT_EQ(effect_of("tensor_model_parallel_size"), Effect::runs);
  EXPECT_EQ(effect_of("activation_func"), Effect::trains);
  EXPECT_EQ(effect_of("activation_checkpoint.mode"), Effect::runs);
  EXPECT_EQ(effect_of("global_batch_size"), Effect::trains);
  EXPECT_EQ(effect_of("global_batch_size_to_train_on"), Effect::trains);
  EXPECT_EQ(effect_of("micro_batch_size"), Effect::runs);
  EXPECT_EQ(effect_of("save_interval"), Effect::tells);
  EXPECT_EQ(effect_of("model_name"), Effect::trains);
  EXPECT_EQ(effect_of("optimizer.lr"), Effect::trains);
  EXPECT_EQ(effect_of("training.dataset_path"), Effect::trains);
  EXPECT_EQ(effect_of("metrics.log_freq"), Effect::tells);
  EXPECT_EQ(effect_of("fp8"), Effect::trains);
}

TEST(Checkpoint, MegatronsFilesPerRankKeepTheirDegrees) {
  const std::string torch = "ckpt_format: torch\n";
  EXPECT_EQ(resumes(torch, torch).resumes, Resumes::yes);
  EXPECT_EQ(resumes(torch, torch + "tensor_model_parallel_size: 2\n").resumes, Resumes::no);
  EXPECT_EQ(resumes(torch, torch + "pipeline_model_parallel_size: 2\n").resumes, Resumes::no);
  EXPECT_EQ(resumes(torch, torch + "context_parallel_size: 2\n").resumes, Resumes::yes);
}

TEST(Checkpoint, MegatronsDistributedFormatReshards) {
  const std::string plain = "ckpt_format: torch_dist\nuse_distributed_optimizer: false\n";
  const std::string tp2 = "tensor_model_parallel_size: 2\n";
  EXPECT_EQ(resumes(plain, plain + tp2).resumes, Resumes::yes);
  const std::string sharded = "ckpt_format: torch_dist\nuse_distributed_optimizer: true\n";
  EXPECT_EQ(resumes(sharded, sharded + tp2).resumes, Resumes::partly);
  EXPECT_EQ(resumes(sharded + "dist_ckpt_optim_fully_reshardable: true\n", sharded + tp2).resumes, Resumes::yes);
}

TEST(Checkpoint, TorchTitansDataLoaderCountsItsReplicas) {
  const LoadedRun a(experiment_text("torchtitan", "llama3.1_8B", "training:\n  local_batch_size: 1\n"), 16);
  const LoadedRun b(experiment_text("torchtitan", "llama3.1_8B",
                                    "training:\n  local_batch_size: 1\nparallelism:\n  tensor_parallel_degree: 2\n"),
                    16);
  const CheckpointAnswer answer = checkpoint_loads({a.analysis(), a.module()}, {b.analysis(), b.module()});
  EXPECT_EQ(answer.resumes, Resumes::partly);
  EXPECT_NE(answer.reasons.at(1).find("DP 16 and 8"), std::string::npos) << answer.reasons.at(1);
}

TEST(Checkpoint, OtherModelsAndOtherFrameworksDoNotLoad) {
  const LoadedRun a = megatron("");
  const LoadedRun small(experiment_text("megatron", "llama3.2_1B", base), 16);
  EXPECT_EQ(checkpoint_loads({a.analysis(), a.module()}, {small.analysis(), small.module()}).resumes, Resumes::no);
  const LoadedRun titan(experiment_text("torchtitan", "llama3.1_8B", "training:\n  local_batch_size: 1\n"), 16);
  EXPECT_EQ(checkpoint_loads({a.analysis(), a.module()}, {titan.analysis(), titan.module()}).resumes, Resumes::no);
}

}  // namespace
}  // namespace primus_plan
