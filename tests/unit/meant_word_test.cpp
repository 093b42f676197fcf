#include "primus_plan/support/meant_word.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace primus_plan {
namespace {

using Words = std::vector<std::string_view>;

std::string meant(std::string_view word, const Words& words) {
  return std::string(meant_word(word, words).value_or("-"));
}

const Words types{"float32", "bfloat16"};
const Words short_types{"fp32", "bf16", "fp16", "fp8"};
const Words strategies{"no_shard", "optim", "optim_grads", "optim_grads_params"};

TEST(MeantWord, CaseAndSeparatorsDoNotCount) {
  EXPECT_EQ(meant("Full", {"none", "selective", "full"}), "full");
  EXPECT_EQ(meant("all_gather", {"allgather", "alltoall", "flex"}), "allgather");
  EXPECT_EQ(meant("transformer-engine", {"local", "transformer_engine"}), "transformer_engine");
  EXPECT_EQ(meant("adam", {"Adam", "AdamW"}), "Adam");
  EXPECT_EQ(meant("mxfp-8", {"tensorwise", "mxfp8"}), "mxfp8");
}

TEST(MeantWord, NumberTypesHaveTwoNames) {
  EXPECT_EQ(meant("fp32", types), "float32");
  EXPECT_EQ(meant("BF16", types), "bfloat16");
  EXPECT_EQ(meant("float16", short_types), "fp16");
  EXPECT_EQ(meant("float16", types), "-") << "one letter from bfloat16, and another type";
  EXPECT_EQ(meant("fp64", short_types), "-");
  EXPECT_EQ(meant("fp12", short_types), "-");
}

TEST(MeantWord, TheNearestOneIfNoOtherIsAsNear) {
  EXPECT_EQ(meant("float23", types), "float32");
  EXPECT_EQ(meant("nevr", {"default", "always", "never"}), "never");
  EXPECT_EQ(meant("unfusd", {"flash", "fused", "unfused"}), "unfused");
  EXPECT_EQ(meant("mix", {"min", "max"}), "-");
  EXPECT_EQ(meant("pp", {"dp", "tp"}), "-");
  EXPECT_EQ(meant("muonn", {"adam", "muon"}), "muon");
  EXPECT_EQ(meant("lion", {"adam", "muon"}), "-");
  EXPECT_EQ(meant("radam", {"adam", "sgd"}), "-") << "another optimizer";
}

TEST(MeantWord, AnotherNumberIsNoSlip) {
  EXPECT_EQ(meant("llama3-7b", {"llama3-8b", "llama3-70b"}), "-");
  EXPECT_EQ(meant("qwen3-17b", {"qwen3-1.7b", "qwen3-8b"}), "-");
  EXPECT_EQ(meant("lama3-8b", {"llama3-8b", "llama3-70b"}), "llama3-8b");
}

TEST(MeantWord, ABeginningOfOneWord) {
  EXPECT_EQ(meant("block", {"tensorwise", "delayed", "mxfp8", "blockwise", "custom"}), "blockwise");
  EXPECT_EQ(meant("optim_grad", strategies), "optim_grads");
  EXPECT_EQ(meant("optim_g", strategies), "-") << "near to one, the beginning of two";
  EXPECT_EQ(meant("cudnn_flash", {"flash", "cudnn_flash_te", "cudnn_flash_jax"}), "-");
  EXPECT_EQ(meant("all", {"allgather", "alltoall", "flex"}), "-");
  EXPECT_EQ(meant("", {"", "none"}), "-");
  EXPECT_EQ(meant("none", {"", "all"}), "-");
}

}  // namespace
}  // namespace primus_plan
