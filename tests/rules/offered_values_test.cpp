// Values that messages of TorchTitan and MaxText offer, and what Megatron's say in odd cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/example.h"

namespace primus_plan {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

/// The help of one rule's first finding.
std::vector<std::string> help_of(std::string_view rule, const std::string& keys, int world_size) {
  static const ExampleChecker checker;
  for (const Finding& finding : checker.check({.world_size = world_size, .yaml = keys}).findings) {
    if (finding.rule->id == rule) return finding.help;
  }
  return {};
}

TEST(OfferedValues, ExpertParallelDividesExpertsAndRanks) {
  const std::string keys =
      "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n  expert_parallel_degree: 36\n"
      "  data_parallel_shard_degree: -1\n";
  EXPECT_THAT(help_of("TT402", keys, 24), Contains("legal expert_parallel_degree: 1, 2, 4, 8"))
      << "3 divides the 24 ranks, but not the 64 experts";
}

TEST(OfferedValues, TensorParallelDividesHeadsAndRanks) {
  const std::string keys = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  tensor_parallel_degree: 6\n";
  EXPECT_THAT(help_of("TT603", keys, 12), Contains("legal tensor_parallel_degree: 1, 2, 4")) << "8 does not divide 12";
  EXPECT_THAT(help_of("TT603", keys + "  data_parallel_shard_degree: 2\n", 12),
              Contains("legal tensor_parallel_degree: 1, 2, 4, with data_parallel_shard_degree: -1"));
}

TEST(OfferedValues, MicroBatchSizesNameTheirKey) {
  const std::string keys =
      "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  local_batch_size: 8\nparallelism:\n"
      "  pipeline_parallel_degree: 2\n  pipeline_parallel_microbatch_size: 3\n";
  EXPECT_THAT(help_of("TT324", keys, 8), Contains("legal pipeline_parallel_microbatch_size: 1, 2, 4"))
      << "8 leaves one micro-batch for two stages";
}

TEST(OfferedValues, NoMicroBatchSizeWhereNoneHelps) {
  const std::string keys =
      "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  local_batch_size: 2\nparallelism:\n"
      "  pipeline_parallel_degree: 4\n  pipeline_parallel_microbatch_size: 3\n";
  EXPECT_THAT(help_of("TT324", keys, 8),
              Contains("no size makes micro-batches enough for 1F1B of a local_batch_size of 2: raise that too"));
}

std::string pipeline_of(int stages, const std::string& schedule, int local, int global) {
  return "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: " + std::to_string(stages) +
         "\n  pipeline_parallel_schedule: " + schedule + "\ntraining:\n  local_batch_size: " + std::to_string(local) +
         "\n  global_batch_size: " + std::to_string(global) + "\n";
}

TEST(OfferedValues, LocalBatchesSuitScheduleAndGlobalBatch) {
  EXPECT_THAT(help_of("TT325", pipeline_of(4, "1F1B", 2, 144), 8),
              Contains("local_batch_size: 4, into which global_batch_size 144 splits"));
  EXPECT_THAT(help_of("TT325", pipeline_of(4, "1F1B", 2, 36), 8),
              Contains("local_batch_size: 6, into which global_batch_size 36 splits"))
      << "4 and 5 do not divide the 18 samples of a rank";
  EXPECT_THAT(help_of("TT325", pipeline_of(4, "1F1B", 2, -1), 8),
              Contains("local_batch_size: 4 (global_batch_size follows)"));
  EXPECT_THAT(help_of("TT325", pipeline_of(4, "1F1B", 2, 4), 8),
              Contains("local_batch_size 4 with a global_batch_size that is a multiple of 4 x 2 = 8"));
  EXPECT_THAT(help_of("TT326", pipeline_of(4, "Interleaved1F1B", 9, 144), 8),
              Contains("local_batch_size: 8, 12, into which global_batch_size 144 splits"))
      << "10 suits the schedule, and does not divide 72";
  EXPECT_THAT(help_of("TT326", pipeline_of(4, "Interleaved1F1B", 9, -1), 8),
              Contains("local_batch_size: 8, 10 (global_batch_size follows)"));
  EXPECT_THAT(help_of("TT203", pipeline_of(4, "1F1B", 5, 128), 8), Contains("or local_batch_size: 4"))
      << "1 and 2 are too few for 4 stages";
}

TEST(OfferedValues, FewerBubblesWithBatchesThatRun) {
  EXPECT_THAT(help_of("LN301", pipeline_of(2, "1F1B", 2, 128), 8),
              Contains(HasSubstr("8 micro-batches (local batch 8) would more than halve it")))
      << "5 micro-batches halve it, 6 do not divide the 32 samples of a rank";
  EXPECT_THAT(help_of("LN301", pipeline_of(2, "1F1B", 2, 8), 8),
              Contains(HasSubstr("6 micro-batches (local batch 6, global batch 24)")));
  const std::string maxtext =
      "model_name: llama3-8b\nper_device_batch_size: 1\nici_fsdp_parallelism: 2\nici_pipeline_parallelism: 4\n"
      "num_layers_per_pipeline_stage: 8\n";
  EXPECT_THAT(help_of("LN301", maxtext, 8), Contains(HasSubstr("12 micro-batches (local batch 6, global batch 12)")))
      << "11 is no multiple of the stages";
  const std::string megatron = "num_layers: 32\npipeline_model_parallel_size: 4\nmicro_batch_size: 1\n";
  EXPECT_THAT(help_of("LN301", megatron + "global_batch_size: 16\n", 8),
              Contains(HasSubstr("19 micro-batches (global batch 38) would halve it")));
  EXPECT_THAT(help_of("LN301", megatron + "global_batch_size: 8\nnum_virtual_stages_per_pipeline_rank: 2\n", 8),
              Contains(HasSubstr("12 micro-batches (global batch 24) would more than halve it")))
      << "interleaving goes round by round";
}

TEST(OfferedValues, OpenDegreesAreThoseThatAreOpen) {
  const std::string keys = "ici_fsdp_parallelism: 1\nici_tensor_parallelism: -1\nici_expert_parallelism: -1\n";
  EXPECT_THAT(help_of("MX102", keys, 8), Contains("set ici_tensor_parallelism: 1 to let ici_expert_parallelism take "
                                                  "what is left"));
}

TEST(OfferedValues, ADegreeIsLeftOpenWhereTheOthersDivide) {
  EXPECT_THAT(help_of("MX103", "ici_fsdp_parallelism: 2\nici_tensor_parallelism: 2\n", 8),
              Contains("ici_fsdp_parallelism: -1 takes what the other degrees leave"));
  EXPECT_THAT(help_of("MX103", "ici_fsdp_parallelism: 2\nici_tensor_parallelism: 3\n", 8),
              Each(Not(HasSubstr("takes what the other degrees leave"))))
      << "3 divides no slice of 8";
}

TEST(OfferedValues, FractionsAreInLowestTerms) {
  EXPECT_THAT(help_of("MX208", "per_device_batch_size: 0.5\n", 8), Contains(HasSubstr("to a multiple of 1, or")));
}

TEST(OfferedValues, PipelineMicroBatchesDivideTheBatch) {
  const std::string keys =
      "ici_pipeline_parallelism: 4\nici_fsdp_parallelism: -1\nper_device_batch_size: 1\n"
      "num_pipeline_microbatches: 10\n";
  EXPECT_THAT(help_of("MX303", keys, 8), Contains("nearest legal values: 8")) << "12 does not divide a batch of 8";
}

}  // namespace
}  // namespace primus_plan
