#include "primus_plan/planner/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"

namespace primus_plan {
namespace {

struct Case {
  const char* yaml;
  std::int64_t world;
};

std::string text_of(const KeyChange& change) {
  return change.key + " " + (change.from ? std::to_string(*change.from) : "unset") + " -> " + std::to_string(change.to);
}

class Repairs : public testing::Test {
 protected:
  std::vector<Repair> find(const std::string& yaml, std::int64_t world) {
    loaded_ = loader_.load_text("exp.yaml", yaml, {});
    const Experiment& experiment = loaded_.experiments.at(0);
    const Launch launch =
        find_launch({.world_size = world, .nodes = {}, .gpus_per_node = {}}, environment_, experiment);
    broken_ = analyze(experiment, launch, environment_, {}).at(0);
    return find_repairs(*find_backend(experiment.modules[0].framework), experiment.modules[0], environment_, broken_);
  }

  MemoryFiles files_;
  Environment environment_;
  Loader loader_{files_, environment_};
  LoadResult loaded_;
  Analysis broken_;
};

TEST_F(Repairs, TheSmallestChangeComesFirst) {
  const auto repairs = find("micro_batch_size: 2\nglobal_batch_size: 100\n", 16);
  ASSERT_FALSE(repairs.empty());
  ASSERT_EQ(repairs[0].changes.size(), 1U);
  EXPECT_EQ(text_of(repairs[0].changes[0]), "global_batch_size 100 -> 96");
  EXPECT_EQ(repairs[0].tokens_per_step, 96 * broken_.run.batch.sequence_length);
  for (const Repair& repair : repairs) EXPECT_LE(repair.changes.size(), 1U) << "one key is enough";
}

TEST_F(Repairs, ADegreeThatDoesNotDivideTheWorld) {
  const auto repairs = find("tensor_model_parallel_size: 3\nmicro_batch_size: 1\nglobal_batch_size: 16\n", 8);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(text_of(repairs[0].changes[0]), "tensor_model_parallel_size 3 -> 4");
}

TEST_F(Repairs, TwoKeysWhereOneIsNotEnough) {
  const auto repairs = find(
      "tensor_model_parallel_size: 3\npipeline_model_parallel_size: 3\nmicro_batch_size: 1\nglobal_batch_size: 16\n",
      8);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs[0].changes.size(), 2U);
}

TEST_F(Repairs, ALengthIsOneChange) {
  const auto repairs = find(
      "tensor_model_parallel_size: 2\ncontext_parallel_size: 4\nseq_length: 1001\nmicro_batch_size: 1\n"
      "global_batch_size: 144\n",
      16);
  ASSERT_FALSE(repairs.empty());
  ASSERT_EQ(repairs[0].changes.size(), 1U);
  EXPECT_EQ(text_of(repairs[0].changes[0]), "seq_length 1001 -> 1000");
}

/// Expert parallelism of a dense model is legal in MaxText, and warned of.
TEST_F(Repairs, NoneBringsANewWarning) {
  const std::string yaml =
      "model_name: llama3-8b\nper_device_batch_size: 1\nici_fsdp_parallelism: 1\nici_pipeline_parallelism: 3\n";
  const auto repairs = find(yaml, 3);
  ASSERT_EQ(broken_.errors, 1U) << "32 layers, 3 stages";
  ASSERT_FALSE(repairs.empty());
  for (const Repair& repair : repairs) {
    ExperimentOptions options;
    for (const KeyChange& change : repair.changes) {
      EXPECT_NE(change.key, "ici_expert_parallelism");
      options.sets.emplace_back(change.key, std::to_string(change.to));
    }
    const LoadResult loaded = loader_.load_text("exp.yaml", yaml, options);
    const Analysis after = analyze(loaded.experiments.at(0), broken_.run.launch, environment_, {}).at(0);
    EXPECT_EQ(after.errors, 0U);
    EXPECT_LE(after.warnings, broken_.warnings);
  }
}

TEST_F(Repairs, OtherBackendsKeysAreTheirOwn) {
  const auto repairs = find("training:\n  local_batch_size: 4\n  global_batch_size: 100\n", 8);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(text_of(repairs[0].changes[0]), "training.global_batch_size 100 -> 96");
}

TEST_F(Repairs, OneLocalBatchWhereTheGlobalBatchFollows) {
  const auto repairs = find(
      "parallelism:\n  pipeline_parallel_degree: 4\n  pipeline_parallel_schedule: Interleaved1F1B\n"
      "training:\n  local_batch_size: 9\n",
      8);
  ASSERT_FALSE(repairs.empty());
  ASSERT_EQ(repairs[0].changes.size(), 1U);
  EXPECT_EQ(text_of(repairs[0].changes[0]), "training.local_batch_size 9 -> 10");
  for (const Repair& repair : repairs) EXPECT_EQ(repair.changes.size(), 1U);
}

TEST_F(Repairs, AKeyThatAnErrorsFixNames) {
  const auto repairs = find(
      "parallelism:\n  pipeline_parallel_degree: 2\n  pipeline_parallel_microbatch_size: 3\n"
      "training:\n  local_batch_size: 4\n  global_batch_size: 128\n",
      8);
  ASSERT_EQ(repairs.size(), 1U);
  EXPECT_EQ(text_of(repairs[0].changes.at(0)), "parallelism.pipeline_parallel_microbatch_size 3 -> 2");
  EXPECT_EQ(repairs[0].tokens_per_step, broken_.run.batch.tokens_per_step());
}

TEST_F(Repairs, NothingForALegalRunAndForOtherFaults) {
  EXPECT_TRUE(find("micro_batch_size: 2\nglobal_batch_size: 96\n", 16).empty());
  EXPECT_TRUE(find("micro_batch_size: 2\nglobal_batch_size: 96\noptimizer: adma\n", 16).empty());
}

/// What is proposed is what `check` accepts.
TEST_F(Repairs, EveryRepairIsLegal) {
  for (const Case& one : {Case{"micro_batch_size: 3\nglobal_batch_size: 100\ntensor_model_parallel_size: 2\n", 32},
                          Case{"pipeline_model_parallel_size: 5\nmicro_batch_size: 1\nglobal_batch_size: 64\n", 40},
                          Case{"num_experts: 8\nexpert_model_parallel_size: 3\nmicro_batch_size: 1\n", 8}}) {
    const auto repairs = find(one.yaml, one.world);
    EXPECT_FALSE(repairs.empty()) << one.yaml;
    for (const Repair& repair : repairs) {
      ExperimentOptions options;
      for (const KeyChange& change : repair.changes) options.sets.emplace_back(change.key, std::to_string(change.to));
      const LoadResult loaded = loader_.load_text("exp.yaml", one.yaml, options);
      const auto analyses = analyze(loaded.experiments.at(0), broken_.run.launch, environment_, {});
      EXPECT_EQ(analyses.at(0).errors, 0U) << one.yaml << text_of(repair.changes[0]);
      EXPECT_EQ(analyses.at(0).run.batch.tokens_per_step(), repair.tokens_per_step);
    }
  }
}

TEST_F(Repairs, ABatchThatTheDevicesMakeGrowsByItself) {
  const auto repairs = find("ici_fsdp_parallelism: -1\nper_device_batch_size: 2\nenable_rampup_batch_size: true\n", 8);
  ASSERT_FALSE(repairs.empty());
  ASSERT_EQ(repairs[0].changes.size(), 1U);
  EXPECT_EQ(text_of(repairs[0].changes[0]), "per_device_batch_size 2 -> 8");
}

TEST_F(Repairs, WhereAFixIsEnoughNoTwoKeysAreChanged) {
  const std::string packed = "ici_fsdp_parallelism: 4\nici_context_parallelism: 2\nper_device_batch_size: 2\n";
  EXPECT_TRUE(find(packed, 8).empty()) << "packing: false is the finding's own fix";
  EXPECT_EQ(broken_.errors, 1U);
}

}  // namespace
}  // namespace primus_plan
