// What fixes leave alone: what the author wrote, the model, and keys that are not what has to change.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "primus_plan/backends/example.h"
#include "primus_plan/diagnostics/edits.h"

namespace primus_plan {
namespace {

/// Titles of all fixes of a file, each with its rule.
std::vector<std::string> fixes_of(const std::string& text, int world) {
  static const ExampleChecker checker;
  const Example example{.world_size = world, .yaml = text};
  std::vector<std::string> out;
  for (const Finding& finding : checker.check(example, text).findings) {
    for (const Fix& fix : finding.fixes) out.push_back(std::string(finding.rule->id) + " " + fix.title);
  }
  return out;
}

using Titles = std::vector<std::string>;
const std::string batch = "micro_batch_size: 1\nglobal_batch_size: 96\n";

TEST(FixesBeside, TheAuthorsSideOfAContradictionStays) {
  EXPECT_EQ(fixes_of(batch + "fp16: true\n", 8), Titles{"MG730 set bf16 to false"});
  EXPECT_EQ(fixes_of(batch + "fp16: true\nbf16: true\n", 8), Titles{"MG730 set fp16 to false"});
  EXPECT_EQ(
      fixes_of(batch + "overlap_param_gather: true\noverlap_grad_reduce: true\nuse_distributed_optimizer: false\n", 8),
      Titles{"MG501 set overlap_param_gather to false"});
}

TEST(FixesBeside, NoLengthIsOfferedForATensorDegreeThatIsWrong) {
  const std::string model =
      "num_layers: 32\nhidden_size: 4096\nffn_hidden_size: 14336\nnum_attention_heads: 32\n"
      "group_query_attention: true\nnum_query_groups: 8\nseq_length: 8192\nmax_position_embeddings: 8192\n"
      "sequence_parallel: true\n";
  EXPECT_EQ(fixes_of(batch + model + "tensor_model_parallel_size: 3\n", 24), Titles{});
  EXPECT_EQ(fixes_of("training:\n  seq_len: 2048\nparallelism:\n  tensor_parallel_degree: 3\nmodel:\n"
                     "  name: llama3\n  flavor: 8B\n",
                     3),
            Titles{});
}

TEST(FixesBeside, ASlipInALayoutDoesNotChangeTheModel) {
  EXPECT_EQ(fixes_of(batch + "num_layers: 32\npipeline_model_parallel_size: 4\n"
                             "pipeline_model_parallel_layout: \"Et*8|t*8|t*8|t*7L\"\n",
                     8),
            Titles{});
}

TEST(FixesBeside, AnOptionOfTheLaunchDoesNotChangeTheModel) {
  const std::string tied = "use_torch_fsdp2: true\nuntie_embeddings_and_output_weights: false\n";
  for (const std::string& title : fixes_of(batch + tied, 8)) EXPECT_EQ(title.find("untie"), std::string::npos) << title;
  const std::string mtp =
      "num_experts: 8\nexpert_model_parallel_size: 8\noverlap_moe_expert_parallel_comm: true\nmtp_num_layers: 2\n";
  for (const std::string& title : fixes_of(batch + mtp, 8)) EXPECT_EQ(title.find("mtp"), std::string::npos) << title;
}

}  // namespace
}  // namespace primus_plan
