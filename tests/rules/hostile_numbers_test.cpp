// Numbers that no run can have are errors where the framework stops for them, however large or small.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "primus_plan/backends/example.h"

namespace primus_plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// Rules that find an error, and what they say.
std::vector<std::pair<std::string, std::string>> messages_of(const std::string& keys) {
  static const ExampleChecker checker;
  std::vector<std::pair<std::string, std::string>> out;
  for (const Finding& finding : checker.check({.world_size = 8, .yaml = keys}).findings)
    if (finding.severity == Severity::error) out.emplace_back(finding.rule->id, finding.message);
  return out;
}

std::vector<std::string> errors_of(const std::string& keys) {
  std::vector<std::string> out;
  for (const auto& [rule, message] : messages_of(keys)) out.push_back(rule);
  return out;
}

/// 2^60: with 8 ranks the product is beyond 64 bits, where Python still sees that no batch is a multiple of it.
constexpr const char* two_to_60 = "1152921504606846976";

TEST(HostileNumbers, BatchesThatAProductBeyond64BitsDoesNotDivide) {
  const std::string micro = two_to_60;
  const auto tells = [](const char* rule) { return Contains(Pair(rule, HasSubstr("= 2^63 or more"))); };
  EXPECT_THAT(messages_of("micro_batch_size: " + micro + "\nglobal_batch_size: 64\n"), tells("MG203"));
  EXPECT_THAT(messages_of("training:\n  local_batch_size: " + micro + "\n  global_batch_size: 64\n"), tells("TT203"));
}

TEST(HostileNumbers, DegreesBeyond64Bits) {
  for (const char* key : {"tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size",
                          "expert_model_parallel_size", "expert_tensor_parallel_size"}) {
    EXPECT_THAT(errors_of(std::string(key) + ": 100000000000000000000\nmicro_batch_size: 1\n"), ElementsAre("MG813"))
        << key;
  }
  EXPECT_THAT(errors_of("micro_batch_size: 100000000000000000000\nglobal_batch_size: 8\n"), ElementsAre("MG813"));
  EXPECT_THAT(errors_of("micro_batch_size: 1\nglobal_batch_size: 800000000000000000000\n"), IsEmpty())
      << "8 divides it: Megatron starts";
}

TEST(HostileNumbers, DimensionsOfNothing) {
  for (const char* wrong : {"num_attention_heads: 0", "num_attention_heads: -8", "hidden_size: 0", "hidden_size: -8",
                            "kv_channels: 0", "group_query_attention: true\nnum_query_groups: 0", "ffn_hidden_size: -8",
                            "num_experts: 8\nmoe_ffn_hidden_size: -8"}) {
    EXPECT_THAT(errors_of(std::string(wrong) + "\nmicro_batch_size: 1\n"), Contains("MG607")) << wrong;
  }
  EXPECT_THAT(errors_of("group_query_attention: false\nnum_query_groups: 0\nmicro_batch_size: 1\n"), IsEmpty());
  EXPECT_THAT(errors_of("make_vocab_size_divisible_by: 0\nmicro_batch_size: 1\n"), ElementsAre("MG608"));
}

}  // namespace
}  // namespace primus_plan
