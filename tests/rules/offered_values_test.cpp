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
  EXPECT_THAT(help_of("TT324", keys, 8), Contains("legal pipeline_parallel_microbatch_size: 1, 2, 4, 8"));
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
