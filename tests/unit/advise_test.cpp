#include "primus_plan/planner/advise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "support/loaded_run.h"

namespace primus_plan {
namespace {

using test::experiment_text;
using test::LoadedRun;

Advice advice_on(const LoadedRun& run) {
  const auto now = run.trials().run({});
  EXPECT_EQ(run.analysis().errors, 0U) << (run.analysis().findings.empty() ? "" : run.analysis().findings[0].message);
  if (!now || !now->estimate) throw std::runtime_error("no estimate");
  return advise(run.trials(), *now, run.module());
}

constexpr const char* batch =
    "micro_batch_size: 1\nglobal_batch_size: 128\nseq_length: 4096\nmax_position_embeddings: 4096\n";

TEST(Advise, WhereAModelFits) {
  EXPECT_EQ(advice_on({experiment_text("megatron", "llama3.1_8B", batch), 8}).footprint.home, Home::one_gpu);
  const std::string tp8 = std::string(batch) + "tensor_model_parallel_size: 8\n";
  const Advice seventy = advice_on({experiment_text("megatron", "llama3.1_70B", tp8), 8});
  EXPECT_EQ(seventy.footprint.home, Home::one_node);
  EXPECT_GT(seventy.footprint.one_gpu_bytes, 192e9);
  const std::string pp8 = tp8 + "pipeline_model_parallel_size: 2\n";
  const Advice large = advice_on({experiment_text("megatron", "llama3.1_405B", pp8), 64});
  EXPECT_EQ(large.footprint.home, Home::several_nodes);
}

TEST(Advise, TheSmallestHomeHasOneCopyOfTheWeights) {
  // HSDP of 4 x 16: the file's own copies and shards go with 64 GPUs alone.
  const LoadedRun titan(
      experiment_text("torchtitan", "llama3.1_70B",
                      "parallelism:\n  data_parallel_replicate_degree: 4\n  data_parallel_shard_degree: 16\ntraining:\n"
                      "  local_batch_size: 2\n  seq_len: 8192\nactivation_checkpoint:\n  mode: full"),
      64);
  const LoadedRun maxtext(
      experiment_text("maxtext", "llama3.3_70B",
                      "ici_fsdp_parallelism: 8\ndcn_data_parallelism: 4\ndcn_fsdp_parallelism: 2\n"
                      "per_device_batch_size: 2\nmax_target_length: 8192\nremat_policy: full\ndataset_type: synthetic"),
      64);
  for (const LoadedRun* run : {&titan, &maxtext}) {
    const Footprint home = advice_on(*run).footprint;
    EXPECT_EQ(home.home, Home::one_node) << run->module().framework;
    EXPECT_EQ(home.gpus, 8) << run->module().framework;
    EXPECT_EQ(home.weight_shards, 8) << run->module().framework;
  }
}

TEST(Advise, GoalsTryWhatTheGuideAsksFor) {
  const LoadedRun run(experiment_text("megatron", "llama3.1_8B", batch), 8);
  const Advice advice = advice_on(run);
  ASSERT_EQ(advice.goals.size(), 3U);
  const Trial& doubled = *advice.goals[0].tried.at(0).trial;
  EXPECT_EQ(doubled.analysis.run.batch.global, 256);
  EXPECT_EQ(doubled.analysis.run.batch.micro, 1);
  const auto now = run.trials().run({});
  EXPECT_NEAR(doubled.estimate->memory.device.expected, now->estimate->memory.device.expected, 1e6);
  const Trial& spread = *advice.goals[2].tried.at(0).trial;
  EXPECT_EQ(spread.analysis.run.launch.world_size, 16);
  EXPECT_EQ(spread.analysis.run.batch.global, 128);
  EXPECT_EQ(spread.analysis.run.batch.accumulation_steps, 8);
}

TEST(Advise, GoalsKeepABatchThatFollowsFromTheMicroBatch) {
  // training.global_batch_size is -1: local batch x DP, which both grow.
  const LoadedRun run(experiment_text("torchtitan", "llama3.1_8B", "training: {local_batch_size: 2, seq_len: 4096}"),
                      8);
  std::size_t tried = 0;
  for (const GoalAdvice& goal : advice_on(run).goals) {
    if (goal.goal.find("same global batch") == std::string::npos) continue;
    for (const TriedChange& change : goal.tried) {
      ++tried;
      if (change.trial && change.refusal.empty()) {
        EXPECT_EQ(change.trial->analysis.run.batch.global, 16) << change.what;
      }
    }
  }
  EXPECT_GE(tried, 2U);
}

TEST(Advise, TopChangesAreLegalFasterAndKeepTheBatch) {
  const std::string slow = std::string(batch) +
                           "tensor_model_parallel_size: 8\nrecompute_granularity: full\nrecompute_method: uniform\n"
                           "recompute_num_layers: 1\n";
  const LoadedRun run(experiment_text("megatron", "llama3.1_8B", slow), 8);
  const Advice advice = advice_on(run);
  ASSERT_FALSE(advice.top.empty());
  EXPECT_LE(advice.top.size(), 3U);
  for (const TopChange& change : advice.top) {
    EXPECT_GT(change.gain, 0) << change.what;
    EXPECT_TRUE(change.trial.is_legal());
    EXPECT_TRUE(change.trial.fits());
    EXPECT_EQ(change.trial.analysis.run.batch.global, 128);
  }
}

TEST(Advise, RecomputeOfSomeLayersIsTried) {
  // Recomputing everything is too slow and nothing too large, on a part where 60 % of the layers can be kept.
  const std::string full = std::string(batch) +
                           "tensor_model_parallel_size: 8\nrecompute_granularity: full\nrecompute_method: uniform\n"
                           "recompute_num_layers: 1\n";
  const LoadedRun run(experiment_text("megatron", "llama3.1_70B", full + "pipeline_model_parallel_size: 2\n"), 16);
  Hardware part = run.hardware();
  const double whole = run.trials().run({})->estimate->memory.device.expected;
  part.memory_bytes = whole * 1.15;
  const Environment environment;
  const Trials trials(*find_backend("megatron"), run.module(), environment, run.analysis(), &part);
  const Advice advice = advise(trials, *trials.run({}), run.module());
  ASSERT_FALSE(advice.top.empty());
  std::set<std::string> told;
  for (const TopChange& change : advice.top) EXPECT_TRUE(told.insert(change.what).second) << change.what << " twice";
  EXPECT_TRUE(std::ranges::any_of(advice.top, [](const TopChange& change) {
    return change.what.find("recompute_method uniform -> block") != std::string::npos;
  })) << advice.top.front().what;
}

TEST(Advise, EveryFrameworksRecomputeIsTried) {
  const auto best = [](const LoadedRun& run) {
    const Advice advice = advice_on(run);
    return advice.top.empty() ? std::string() : advice.top.front().what;
  };
  const std::string full = "activation_checkpoint:\n  mode: full\n";
  EXPECT_NE(
      best({experiment_text("torchtitan", "llama3.1_8B", full), 8}).find("activation_checkpoint.mode full -> none"),
      std::string::npos);
  const LoadedRun maxtext(experiment_text("maxtext", "llama3_8B", "remat_policy: full\nper_device_batch_size: 2\n"), 8);
  EXPECT_NE(best(maxtext).find("remat_policy full -> "), std::string::npos);
}

TEST(Advise, TwoChangesAreBetterThanEitherAlone) {
  const LoadedRun run(experiment_text("maxtext", "llama3_8B", "remat_policy: full\nper_device_batch_size: 2\n"), 8);
  double before = 1e9;
  for (const TopChange& change : advice_on(run).top) {
    EXPECT_LE(change.gain, before);
    before = change.gain;
    // A pipeline only costs here: no better recompute excuses it.
    EXPECT_EQ(change.what.find("pipeline_parallelism unset -> 2"), std::string::npos) << change.what;
  }
}

TEST(Advise, WhatDoesNotFitIsToldHowItWould) {
  const LoadedRun run(experiment_text("megatron", "llama3.1_70B", batch), 8);
  const Advice advice = advice_on(run);
  ASSERT_FALSE(advice.top.empty());
  const double now = run.trials().run({})->estimate->memory.device.expected;
  for (const TopChange& change : advice.top) {
    // Changes that only need less are told where none fits.
    EXPECT_EQ(change.trial.fits(), advice.top[0].trial.fits()) << change.what;
    EXPECT_LT(change.trial.estimate->memory.device.expected, now) << change.what;
  }
}

TEST(Advise, ExpertsAndLearningRateAreSpokenOf) {
  const std::string moe = std::string(batch) + "expert_model_parallel_size: 8\nlr: 1.0e-4\n";
  const Advice advice = advice_on({experiment_text("megatron", "mixtral_8x7B_v0.1", moe), 8});
  bool speaks_of_experts = false;
  for (const std::string& line : advice.standing) speaks_of_experts |= line.find("8 experts hold") != std::string::npos;
  EXPECT_TRUE(speaks_of_experts);
  EXPECT_NE(advice.learning_rate.at(0).find("start at 0.000141 "), std::string::npos) << advice.learning_rate.at(0);
}

}  // namespace
}  // namespace primus_plan
