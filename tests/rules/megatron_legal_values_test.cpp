// Values that Megatron's messages offer are such that the other rules take them too.
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
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// What one rule has to say of some keys over the built-in presets.
std::vector<Finding> findings_of(std::string_view rule, const std::string& keys, int world_size = 8) {
  static const ExampleChecker checker;
  std::vector<Finding> out;
  for (Finding& finding : checker.check({.world_size = world_size, .yaml = keys}).findings) {
    if (finding.rule->id != rule) continue;
    finding.primary.origin = {};  // the experiment ends here
    finding.related.clear();
    out.push_back(std::move(finding));
  }
  return out;
}

std::vector<std::string> help_of(std::string_view rule, const std::string& keys, int world_size = 8) {
  const std::vector<Finding> findings = findings_of(rule, keys, world_size);
  return findings.empty() ? std::vector<std::string>{} : findings.front().help;
}

constexpr const char* interleaved =
    "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"
    "overlap_p2p_comm: true\n";

TEST(MegatronLegalValues, LayersNextToAnUnevenNumberCountTheSlots) {
  const std::string keys =
      "num_layers: 24\npipeline_model_parallel_size: 4\naccount_for_loss_in_pipeline_split: true\n";
  EXPECT_THAT(help_of("MG301", keys), Contains("num_layers next to it that PP 4 divides with the slots: 23, 27"));
}

TEST(MegatronLegalValues, PipelinesFitTheWorld) {
  EXPECT_THAT(help_of("MG301", "num_layers: 30\npipeline_model_parallel_size: 4\n"),
              Contains("pipeline_model_parallel_size that divides 30: 1, 2"))
      << "3, 5 and 6 divide no world of 8";
  EXPECT_THAT(help_of("MG319",
                      "num_layers: 24\npipeline_model_parallel_size: 2\n"
                      "pipeline_model_parallel_layout: \"Et*8|t*8|t*8L\"\n",
                      6),
              Contains("pipeline_model_parallel_size that divides 3: 3"))
      << "one rank cannot interleave 3 chunks";
}

TEST(MegatronLegalValues, BatchesFillThePipeline) {
  const std::string keys = std::string(interleaved) + "micro_batch_size: 2\nglobal_batch_size: 30\n";
  EXPECT_THAT(help_of("MG203", keys), Contains("nearest legal values: 16, 32"))
      << "24 would be 3 micro-batches, which do not fill two stages";
}

TEST(MegatronLegalValues, SequencesSuitEverySplit) {
  const std::string keys =
      "context_parallel_size: 2\ntensor_model_parallel_size: 4\nseq_length: 1026\nmax_position_embeddings: 1100\n";
  EXPECT_THAT(help_of("MG604", keys), Contains("nearest legal values: 1024, 1032"));
  EXPECT_THAT(help_of("MG604", "context_parallel_size: 4\nseq_length: 4100\nmax_position_embeddings: 4100\n"),
              Contains("nearest legal values: 4096"))
      << "4104 is longer than the positions";
}

TEST(MegatronLegalValues, WorldsSplitTheBatch) {
  const std::string keys = "tensor_model_parallel_size: 2\nmicro_batch_size: 1\nglobal_batch_size: 32\n";
  EXPECT_THAT(help_of("MG102", keys, 7), Contains("nearest world sizes that mend this: 4, 8"))
      << "32 is no multiple of DP 3";
  EXPECT_THAT(help_of("MG102", "tensor_model_parallel_size: 4\nmicro_batch_size: 3\nglobal_batch_size: 32\n", 6),
              Contains("nearest world sizes that the degrees divide: 4, 8"))
      << "no world splits this batch";
}

TEST(MegatronLegalValues, ExpertTensorParallelIsOfferedWhereItHelps) {
  const std::string keys = "tensor_model_parallel_size: 2\nnum_experts: 24\nexpert_model_parallel_size: ";
  EXPECT_THAT(help_of("MG103", keys + "8\n"), Contains(HasSubstr("expert_tensor_parallel_size: 1 keeps")));
  EXPECT_THAT(help_of("MG103", keys + "3\n"), Each(Not(HasSubstr("expert_tensor_parallel_size: 1 keeps"))));
}

TEST(MegatronLegalValues, QueryGroupsDivideTheHeads) {
  const std::string keys =
      "num_attention_heads: 16\nhidden_size: 1024\ngroup_query_attention: true\nnum_query_groups: 6\n";
  EXPECT_THAT(help_of("MG633", keys), Contains("num_query_groups that divides 16: 1, 2, 4, 8, 16"));
}

TEST(MegatronLegalValues, FullRecomputeIsOfferedWithAllItNeeds) {
  const std::string keys = "recompute_activations: true\nrecompute_granularity: full\n";
  EXPECT_THAT(help_of("MG706", keys), Contains("recompute_activations: false with recompute_method and "
                                               "recompute_num_layers keeps full recompute"));
  const std::vector<Finding> bare = findings_of("MG706", keys);
  ASSERT_THAT(bare, SizeIs(1));
  EXPECT_THAT(bare.front().fixes, SizeIs(1)) << "without the flag, full recompute would stop";
}

TEST(MegatronLegalValues, OneChunkTooManyIsOneFault) {
  EXPECT_THAT(findings_of("MG308", "num_layers: 24\nnum_virtual_stages_per_pipeline_rank: 2\n"), SizeIs(1));
  EXPECT_THAT(findings_of("MG315", "num_layers: 24\nnum_virtual_stages_per_pipeline_rank: 2\n"), IsEmpty())
      << "the run stops before it counts layers";
}

TEST(MegatronLegalValues, PartsOfSequencesFillPrimusPipelines) {
  const std::string keys =
      "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\npp_algorithm: 1f1b\n"
      "num_seq_splits: 2\nmicro_batch_size: 1\nglobal_batch_size: 2\n";
  EXPECT_THAT(help_of("MG355", keys), Contains("smallest global_batch_size that runs: 4"))
      << "2 micro-batches in 2 parts each fill the 3 places of the warm-up";
}

TEST(MegatronLegalValues, OneLayerIsLeftOver) {
  const std::vector<Finding> found =
      findings_of("MG312",
                  "num_layers: 24\npipeline_model_parallel_size: 2\ndecoder_first_pipeline_num_layers: 10\n"
                  "decoder_last_pipeline_num_layers: 13\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().message, "1 layer is left over and no pipeline rank is there to hold it");
}

TEST(MegatronLegalValues, KeysWithoutAValueAreNoPlacesToLook) {
  static const ExampleChecker checker;
  const CheckedExample report =
      checker.check({.world_size = 8, .yaml = "num_layers: 24\nnum_virtual_stages_per_pipeline_rank: 2\n"});
  for (const Finding& finding : report.findings) {
    if (finding.rule->id != "MG308") continue;
    EXPECT_THAT(finding.related, SizeIs(1)) << "the other two keys are null";
  }
}

TEST(MegatronLegalValues, HugeNumbersAreNotTried) {
  const std::string keys = "num_layers: 999999999\npipeline_model_parallel_size: 1000000\n";
  EXPECT_THAT(help_of("MG301", keys, 1000000), Not(IsEmpty()));
  EXPECT_THAT(help_of("MG604", "context_parallel_size: 2\nseq_length: 9223372036854775807\n"), Not(IsEmpty()));
}

}  // namespace
}  // namespace primus_plan
