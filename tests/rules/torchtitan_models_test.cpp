// What the overrides of a model say that its attention and its routing cannot do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/loaded_run.h"

namespace primus_plan::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* experts = "name: deepseek_v3, flavor: 16B, moe_args: ";

/// What a rule says first about a model with these keys; empty where it is silent.
std::string said(std::string_view rule, const std::string& model, const std::string& sections = {}) {
  const LoadedRun run("model: {" + model + "}\n" + sections + "training: {seq_len: 2048}\n", 8);
  const auto& findings = run.analysis().findings;
  const auto found = std::ranges::find_if(findings, [&](const Finding& one) { return one.rule->id == rule; });
  return found == findings.end() ? std::string() : found->message;
}

TEST(TorchTitanAttention, EachModelHasItsOwnWords) {
  for (const char* model : {"name: llama3, flavor: 8B", "name: qwen3, flavor: 8B"}) {
    const std::string with = std::string(model) + ", attn_type: ";
    EXPECT_EQ(said("TT616", with + "varlen"), "");
    EXPECT_THAT(said("TT616", with + "flash"), HasSubstr("'flash' is none of sdpa, flex, varlen"));
    EXPECT_THAT(said("TT616", with + "null"), HasSubstr("null is none of"));
  }
  for (const char* model : {"name: llama4, flavor: 17bx16e", "name: deepseek_v3, flavor: 16B"}) {
    const std::string with = std::string(model) + ", attn_type: ";
    EXPECT_EQ(said("TT616", with + "sdpa"), "");
    EXPECT_THAT(said("TT616", with + "varlen"), HasSubstr("'varlen' is none of sdpa, flex,"));
  }
  EXPECT_EQ(said("TT616", "name: gpt_oss, flavor: 20b, attn_type: flex"), "");
  EXPECT_THAT(said("TT616", "name: gpt_oss, flavor: 20b, attn_type: sdpa"), HasSubstr("none of flex, varlen"));
  EXPECT_EQ(said("TT616", "name: deepseek_v3, flavor: 16B, attn_type: any",
                 "primus_turbo: {enable_primus_turbo: true, use_classic_attention: true}\n"),
            "")
      << "Primus puts an attention of its own there";
}

TEST(TorchTitanHeads, AreAMultipleOfTheKvHeads) {
  EXPECT_THAT(said("TT604", "name: llama3, flavor: 8B, n_heads: 20"), HasSubstr("20 attention heads"));
  EXPECT_THAT(said("TT604", "name: qwen3, flavor: 8B, n_kv_heads: 5"), HasSubstr("its 5 KV heads"));
  EXPECT_THAT(said("TT604", "name: llama3, flavor: 8B, n_kv_heads: 64"), HasSubstr("its 64 KV heads"));
  EXPECT_THAT(said("TT604", "name: llama3, flavor: 8B, n_kv_heads: 0"), HasSubstr("1 KV head or more"));
  EXPECT_EQ(said("TT604", "name: llama3, flavor: 8B, n_heads: 24"), "");
  EXPECT_EQ(said("TT604", "name: llama3, flavor: 8B, n_kv_heads: null"), "") << "as many as heads";
  EXPECT_EQ(said("TT604", "name: deepseek_v3, flavor: 16B, n_heads: 15"), "") << "latent attention has none";
}

TEST(TorchTitanRouting, NamesEveryFieldThatAMappingLoses) {
  EXPECT_THAT(said("TT805", std::string(experts) + "{num_experts: 64, num_shared_experts: 2, top_k: 6}"),
              AllOf(HasSubstr("score_func softmax -> sigmoid"), HasSubstr("score_before_experts false -> true"),
                    Not(HasSubstr("top_k")), Not(HasSubstr("route_norm"))));
  EXPECT_THAT(said("TT805", "name: deepseek_v3, flavor: 236B, moe_args: {num_experts: 160, top_k: 6}"),
              AllOf(HasSubstr("route_scale 16 -> 1"), HasSubstr("num_expert_groups 8 -> null")));
  EXPECT_THAT(said("TT805", "name: gpt_oss, flavor: 20b, moe_args: {num_experts: 32}"),
              HasSubstr("gate_bias true -> false"));
  EXPECT_THAT(said("TT805", std::string(experts) + "{num_experts: 64}",
                   "primus_turbo: {enable_primus_turbo: true, use_classic_attention: true}\n"),
              HasSubstr("route_norm true -> false"))
      << "Primus's classic flavors normalize";
  EXPECT_EQ(
      said("TT805", std::string(experts) + "{num_experts: 8, num_shared_experts: 2, top_k: 6, score_func: softmax, "
                                           "score_before_experts: false}"),
      "");
}

TEST(TorchTitanRouting, PicksFromTheExpertsThereAre) {
  EXPECT_THAT(said("TT412", std::string(experts) + "{num_experts: 64, top_k: 65}"), HasSubstr("top_k 65 is more than"));
  EXPECT_THAT(said("TT412", std::string(experts) + "{top_k: 9}"), HasSubstr("its 8 experts")) << "MoEArgs' default";
  EXPECT_EQ(said("TT412", std::string(experts) + "{num_experts: 6, top_k: 6}"), "");
  EXPECT_EQ(said("TT412", std::string(experts) + "{num_experts: \"64\", top_k: 6}"), "") << "a fault of the type";
}

TEST(TorchTitanRouting, HasTypes) {
  for (const char* field : {"num_experts: \"64\"", "top_k: 6.0", "num_shared_experts: null", "route_scale: much",
                            "score_func: 1", "num_expert_groups: \"8\""}) {
    EXPECT_NE(said("TT821", std::string(experts) + "{" + field + "}"), "") << field;
  }
  for (const char* field :
       {"num_experts: 64", "route_scale: 2", "num_expert_groups: null", "load_balance_coeff: null"}) {
    EXPECT_EQ(said("TT821", std::string(experts) + "{" + field + "}"), "") << field;
  }
  EXPECT_THAT(said("TT822", std::string(experts) + "{route_norm: \"false\"}"), HasSubstr("true or false"));
  EXPECT_EQ(said("TT405", std::string(experts) + "{num_experts: \"60\"}", "parallelism: {expert_parallel_degree: 8}\n"),
            "")
      << "what is no number is not computed with";
}

TEST(TorchTitanRouting, IsAMapping) {
  for (const char* routing : {"null", "64", "[64]"}) {
    EXPECT_THAT(said("TT821", std::string(experts) + routing), HasSubstr("expects a mapping")) << routing;
  }
  EXPECT_EQ(said("TT821", "name: llama3, flavor: 8B, moe_args: null"), "");
  EXPECT_NE(said("TT803", "name: llama3, flavor: 8B, moe_args: null"), "") << "llama3 has no such field";
}

TEST(TorchTitanData, IsLoadedByName) {
  const std::string llama = "name: llama3, flavor: 8B";
  EXPECT_EQ(said("TT256", llama, "validation: {enable: true, dataset: C4_Validation}\n"), "");
  EXPECT_THAT(said("TT256", llama, "validation: {enable: true, dataset: pile}\n"), HasSubstr("validation.dataset"));
  EXPECT_EQ(said("TT256", llama, "validation: {enable: false, dataset: pile}\n"), "");
  EXPECT_EQ(said("TT256", "name: flux, flavor: flux-dev", "validation: {enable: true, dataset: coco}\n"), "");
}

}  // namespace
}  // namespace primus_plan::test
