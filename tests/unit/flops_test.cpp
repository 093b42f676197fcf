#include "primus_plan/estimate/flops.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "primus_plan/estimate/unfold.h"

namespace primus_plan {
namespace {

/// Llama 3 8B on one GPU.
Workload llama() {
  Workload out;
  out.run.launch.world_size = 8;
  out.run.batch.global = 16;
  out.run.batch.sequence_length = 8192;
  ModelShape& model = out.model;
  model.layers = 32;
  model.hidden = 4096;
  model.vocabulary = 128256;
  model.padded_vocabulary = 131072;
  model.heads = 32;
  model.kv_heads = 8;
  model.head_width = model.value_width = 128;
  model.ffn = 14336;
  model.gated = true;
  model.kinds = {{.count = 32}};
  return out;
}

TEST(CommonFlops, OfADenseModelAreSixAParameterAndHalfTheAttention) {
  const FlopsEstimate flops = estimate_flops(llama());
  const double matrices = 32.0 * (4096.0 * (4096 + 2 * 1024) + 4096.0 * 4096 + 3.0 * 4096 * 14336) + 4096.0 * 128256;
  EXPECT_DOUBLE_EQ(flops.common_attention_per_token, 6.0 * 32 * 4096 * 8192);
  EXPECT_DOUBLE_EQ(flops.common_per_token, 6 * matrices + 6.0 * 32 * 4096 * 8192);
  EXPECT_DOUBLE_EQ(flops.common_per_step(), flops.common_per_token * 16 * 8192);
  EXPECT_DOUBLE_EQ(flops.common_per_gpu(), flops.common_per_step() / 8);
}

TEST(CommonFlops, OfHostileWidthsAreMany) {
  Workload hostile = llama();
  ModelShape& model = hostile.model;
  model.linear_key_heads = model.linear_value_heads = std::int64_t{1} << 40;
  model.linear_key_width = model.linear_value_width = std::int64_t{1} << 23;
  model.kinds = {{.count = 32, .mixer = Mixer::gated_delta}};
  EXPECT_GT(estimate_flops(hostile).common_per_token, 32 * 6.0 * 4096 * 0x1p63);
  model.mamba_heads = model.mamba_head_width = INT64_MAX;
  model.kinds = {{.count = 32, .mixer = Mixer::mamba}};
  EXPECT_GT(estimate_flops(hostile).common_per_token, 32 * 6.0 * 4096 * 0x1p126);
}

TEST(Unfold, ParametersBeyondAllNumbersAreNotNegative) {
  Workload hostile = llama();
  hostile.model.hidden = hostile.model.ffn = std::int64_t{1} << 40;
  const Estimate estimate = estimate_run(hostile, nullptr);
  const auto number = unfold_number(hostile, estimate, nullptr, "parameters");
  ASSERT_TRUE(number.has_value());
  EXPECT_EQ(number->value.find('-'), std::string::npos) << number->value;
  for (const MemoryInput& input : number->inputs) EXPECT_EQ(input.value.find('-'), std::string::npos) << input.name;
}

TEST(CommonFlops, DoNotCountPaddingOfTheVocabulary) {
  Workload padded = llama();
  padded.model.padded_vocabulary *= 2;
  EXPECT_DOUBLE_EQ(estimate_flops(padded).common_per_token, estimate_flops(llama()).common_per_token);
}

TEST(CommonFlops, CountOnlyTheExpertsThatATokenIsSentTo) {
  Workload sparse = llama();
  sparse.model.experts = 8;
  sparse.model.experts_per_token = 2;
  sparse.model.expert_ffn = 7168;  // two of them are as wide as the dense block
  sparse.model.kinds = {{.count = 32, .feed_forward = FeedForward::experts}};
  const double router = 6.0 * 32 * 4096 * 8;
  EXPECT_DOUBLE_EQ(estimate_flops(sparse).common_per_token, estimate_flops(llama()).common_per_token + router);
}

TEST(CommonFlops, OfAWindowAreThePairsItLooksAt) {
  EXPECT_DOUBLE_EQ(average_context({.window = 0}, 4096), 2048);
  EXPECT_DOUBLE_EQ(average_context({.window = 8192}, 4096), 2048);
  EXPECT_DOUBLE_EQ(average_context({.window = 1024}, 4096), 1024 - 0.5 * 1024 * 1024 / 4096);
  EXPECT_DOUBLE_EQ(average_context({.window = 1024, .chunked = true}, 4096), 512);
  EXPECT_DOUBLE_EQ(average_context({.window = 1000, .chunked = true}, 4096), (4 * 1e6 + 96 * 96) / (2.0 * 4096));
}

TEST(CommonFlops, OfPredictionLayersHaveTheirOutputAgain) {
  Workload predicting = llama();
  predicting.model.mtp_depth = 1;
  const double layer = 4096.0 * (4096 + 2 * 1024) + 4096.0 * 4096 + 3.0 * 4096 * 14336 + 4096.0 * 8192;
  const double more = 6 * (layer + 2.0 * 4096 * 4096 + 4096.0 * 128256);
  EXPECT_DOUBLE_EQ(estimate_flops(predicting).common_per_token, estimate_flops(llama()).common_per_token + more);
}

TEST(CommonFlops, OfAnUnknownModelAreZero) {
  EXPECT_EQ(estimate_flops({}).common_per_token, 0);
  EXPECT_EQ(estimate_flops({}).common_per_gpu(), 0);
}

}  // namespace
}  // namespace primus_plan
