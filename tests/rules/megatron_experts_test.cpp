// The finer conditions of the rules about experts, Primus-Turbo and attention, beyond their examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// What these keys give over the built-in presets.
std::vector<Finding> findings_of(const std::string& keys, int world_size = 8, const Environment& environment = {}) {
  const MemoryFiles files;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("case.yaml", "tensor_model_parallel_size: 1\n" + keys, {});
  std::vector<Finding> out = loaded.errors;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch({.world_size = world_size, .nodes = {}, .gpus_per_node = {}}, environment, experiment.pragma);
    for (const Analysis& analysis : analyze(experiment, launch, environment, {})) {
      out.insert(out.end(), analysis.findings.begin(), analysis.findings.end());
    }
  }
  return out;
}

/// Their rules, without notes.
std::set<std::string> rules_of(const std::string& keys, int world_size = 8, const Environment& environment = {}) {
  std::set<std::string> out;
  for (const Finding& finding : findings_of(keys, world_size, environment)) {
    if (finding.severity != Severity::note) out.emplace(finding.rule->id);
  }
  return out;
}

std::string message_of(const std::string& keys, const std::string& rule) {
  for (const Finding& finding : findings_of(keys)) {
    if (finding.rule->id == rule) return finding.message;
  }
  return "";
}

const std::string experts = "num_experts: 8\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: alltoall\n";
const std::string turbo = experts + "enable_primus_turbo: true\n";

TEST(MegatronExperts, LayerFrequencyIsReadLikePython) {
  const std::string four = experts + "num_layers: 4\nmoe_layer_freq: ";
  for (const char* good : {"1", "2", "-1", "\"1\"", "\"2 * 1\"", "[0, 1, 1, 1]", "[true, true, false, true]",
                           "\"([0]*1+[1]*3)\"", "\"[0] + 3 * [1]\"", "[0.0, 1.0, 1, 1]"}) {
    EXPECT_THAT(rules_of(four + good + "\n"), IsEmpty()) << good;
  }
  for (const char* short_list : {"[1, 1, 1]", "\"[1]*5\"", "[]", "\"[1]*0\""}) {
    EXPECT_THAT(rules_of(four + short_list + "\n"), ElementsAre("MG411")) << short_list;
  }
  for (const char* unreadable : {"\"[1]*[4]\"", "\"abc\"", "null", "1.5", "\"[0]*\""}) {
    EXPECT_THAT(rules_of(four + unreadable + "\n"), ElementsAre("MG412")) << unreadable;
  }
  for (const char* wrong : {"0", "\"0\"", "[0, 1, 2, 1]", "[0, 1, x, 1]"}) {
    EXPECT_THAT(rules_of(four + wrong + "\n"), ElementsAre("MG413")) << wrong;
  }
  EXPECT_THAT(rules_of("num_layers: 4\nmoe_layer_freq: null\n"), IsEmpty()) << "a dense model does not read it";
}

TEST(MegatronExperts, LengthOfTheListIsMendedByItsDensePart) {
  const auto found = findings_of(experts + "num_layers: 6\nmoe_layer_freq: \"([0]*3+[1]*58)\"\n");
  const auto rule = std::find_if(found.begin(), found.end(), [](const Finding& f) { return f.rule->id == "MG411"; });
  ASSERT_NE(rule, found.end());
  EXPECT_EQ(rule->message, "moe_layer_freq describes 61 layers, but num_layers is 6");
  EXPECT_THAT(rule->help, Contains("for 6 layers: \"([0]*3+[1]*3)\""));
}

TEST(MegatronExperts, DenseModelListsItsUselessKeysOnce) {
  const std::string keys = "moe_router_topk: 4\nmoe_grouped_gemm: true\nmoe_permute_fusion: false\n";
  EXPECT_THAT(rules_of(keys), ElementsAre("MG405"));
  const std::string message = message_of(keys, "MG405");
  EXPECT_THAT(message, HasSubstr("moe_grouped_gemm, moe_router_topk"));
  EXPECT_THAT(message, Not(HasSubstr("moe_permute_fusion"))) << "off is what a dense model does anyway";
  EXPECT_THAT(rules_of("num_layers: 24\n"), IsEmpty()) << "presets set such keys for every model";
  EXPECT_THAT(rules_of("num_experts: 0\nmoe_router_topk: 4\n"), ElementsAre("MG405")) << "0 experts is dense";
}

TEST(MegatronExperts, TopKOneIsCheckedInDenseModelsToo) {
  EXPECT_THAT(rules_of("moe_router_topk: 1\n"), Contains("MG425"));
  EXPECT_THAT(rules_of(experts + "moe_router_topk: 1\nmoe_router_score_function: sigmoid\n"), IsEmpty());
  EXPECT_THAT(rules_of(experts + "moe_router_topk: 1\nmoe_router_load_balancing_type: sinkhorn\n"), IsEmpty());
}

TEST(MegatronExperts, GroupsOfTheRouter) {
  const std::string many = "num_experts: 256\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: alltoall\n";
  EXPECT_THAT(rules_of(many + "moe_router_topk: 8\nmoe_router_num_groups: 8\nmoe_router_group_topk: 4\n"), IsEmpty());
  EXPECT_THAT(rules_of(many + "moe_router_group_topk: 4\n"), ElementsAre("MG429"));
  EXPECT_THAT(rules_of(many + "moe_router_num_groups: 4\nmoe_router_group_topk: 8\n"), ElementsAre("MG429"));
  EXPECT_THAT(rules_of(many + "moe_router_num_groups: 7\n"), IsEmpty()) << "without a limit groups are not read";
  EXPECT_THAT(rules_of(many + "moe_router_topk: 7\nmoe_router_num_groups: 8\nmoe_router_group_topk: 4\n"),
              ElementsAre("MG431"));
  EXPECT_THAT(rules_of(experts + "moe_router_topk: 6\nmoe_router_num_groups: 8\nmoe_router_group_topk: 2\n"),
              ElementsAre("MG430"));
}

TEST(MegatronExperts, CapacityIsJudgedEvenWhenNegative) {
  const std::string sinkhorn = experts + "moe_router_load_balancing_type: sinkhorn\nmoe_expert_capacity_factor: ";
  EXPECT_THAT(rules_of(sinkhorn + "-1.0\n"), ElementsAre("MG436"));
  EXPECT_THAT(rules_of(sinkhorn + "null\n"), IsEmpty());
  EXPECT_THAT(rules_of(experts + "moe_expert_capacity_factor: -1.0\nmoe_pad_expert_input_to_capacity: true\n"),
              ElementsAre("MG437"));
  EXPECT_THAT(rules_of(experts + "moe_expert_capacity_factor: 1.0\nmoe_router_load_balancing_type: [none]\n"),
              IsEmpty());
}

TEST(MegatronExperts, OneElementListsAreTheirElement) {
  EXPECT_THAT(rules_of(experts + "moe_router_load_balancing_type: [aux_loss]\nmoe_aux_loss_coeff: [0.01]\n"),
              IsEmpty());
  EXPECT_THAT(rules_of(experts + "moe_router_load_balancing_type: [aux_loss, none]\nmoe_aux_loss_coeff: [0.01]\n"),
              ElementsAre("MG434"));
}

TEST(MegatronExperts, OverlapNeedsChunksThatAreAskedFor) {
  const std::string overlap = experts +
                              "overlap_moe_expert_parallel_comm: true\nexpert_model_parallel_size: 4\n"
                              "pipeline_model_parallel_size: 2\n";
  EXPECT_THAT(rules_of(overlap + "num_layers_per_virtual_pipeline_stage: 6\n"), IsEmpty());
  EXPECT_THAT(rules_of(overlap + "num_virtual_stages_per_pipeline_rank: 1\n"), ElementsAre("MG440"));
  EXPECT_THAT(rules_of(overlap + "virtual_pipeline_model_parallel_size: 2\n"), Contains("MG440"));
  EXPECT_THAT(rules_of(overlap + "num_layers_per_virtual_pipeline_stage: 5\n"), Not(Contains("MG440")))
      << "the number of chunks is unknown there";
}

TEST(MegatronTurbo, SyncFreeStages) {
  const std::string stage = "turbo_sync_free_moe_stage: ";
  EXPECT_THAT(rules_of(stage + "4\n" + turbo), ElementsAre("MG450", "MG453"));
  EXPECT_THAT(rules_of(stage + "1\n" + turbo), IsEmpty());
  // The stage switches DeepEP on, whose constraints hold although its dispatcher comes too late.
  EXPECT_THAT(rules_of(stage + "2\nuse_turbo_grouped_gemm: true\n" + turbo), ElementsAre("MG454", "MG456"));
  EXPECT_THAT(rules_of(stage + "1\nfp8: hybrid\n" + turbo + "use_turbo_grouped_gemm: true\n" +
                       "turbo_grouped_gemm_without_padding: true\n"),
              ElementsAre("MG467"));
}

TEST(MegatronTurbo, DeepEpBetweenNodesDependsOnTheBackend) {
  const std::string keys =
      "num_experts: 16\nmoe_grouped_gemm: true\nenable_primus_turbo: true\nuse_turbo_deepep: true\n"
      "moe_router_dtype: fp32\nexpert_model_parallel_size: 16\nglobal_batch_size: 32\nturbo_deepep_num_cu: ";
  EXPECT_THAT(rules_of(keys + "64\n", 16), Contains("MG457"));
  EXPECT_THAT(rules_of(keys + "32\n", 16), Not(Contains("MG457")));
  Environment other;
  other.set("PRIMUS_TURBO_MOE_DISPATCH_COMBINE_BACKEND", "DEEP_EP");
  EXPECT_THAT(rules_of(keys + "64\n", 16, other), Not(Contains("MG457")));
}

TEST(MegatronTurbo, DeepEpOfOneExpertRankIsNamedByItsOwnKey) {
  const std::string keys = turbo + "use_turbo_deepep: true\nmoe_router_dtype: fp32\n";
  EXPECT_THAT(rules_of(keys), ElementsAre("MG417"));
  EXPECT_THAT(message_of(keys, "MG417"), HasSubstr("use_turbo_deepep"));
}

TEST(MegatronTurbo, ChecksHoldWithoutTheMainSwitch) {
  EXPECT_THAT(rules_of("use_turbo_gemm: true\nfp8: hybrid\n"), ElementsAre("MG461", "MG468"));
  EXPECT_THAT(rules_of("fp8_recipe: mxfp8\n"), ElementsAre("MG464")) << "even without fp8";
  Environment enabled;
  enabled.set("NVTE_ROCM_ENABLE_MXFP8", "1");
  EXPECT_THAT(rules_of("fp8_recipe: mxfp8\n", 8, enabled), IsEmpty());
}

TEST(MegatronAttention, RopeTypeDefaultsToYarnWithLatentAttention) {
  const std::string latent = "multi_latent_attention: true\nposition_embedding_type: rope\n";
  EXPECT_THAT(rules_of(latent), IsEmpty());
  EXPECT_THAT(rules_of(latent + "rope_type: yarn\n"), IsEmpty());
  EXPECT_THAT(rules_of(latent + "rope_type: rope\n"), ElementsAre("MG681"));
  EXPECT_THAT(rules_of("multi_latent_attention: true\nposition_embedding_type: learned_absolute\nrope_type: rope\n"),
              Not(Contains("MG681")))
      << "fusion is off where nothing is rotated";
}

}  // namespace
}  // namespace primus_plan
