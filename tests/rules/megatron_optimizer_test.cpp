// The finer conditions of the rules about optimizers, overlap and FSDP, beyond their examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// Errors and warnings of Megatron's rules for these keys over the built-in presets.
std::set<std::string> rules_of(const std::string& keys, const Environment& environment = {},
                               std::optional<std::int64_t> world_size = 8) {
  const MemoryFiles files;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("case.yaml", "num_layers: 24\n" + keys, {});
  std::set<std::string> out;
  for (const Finding& error : loaded.errors) out.emplace(error.rule->id);
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch({.world_size = world_size, .nodes = {}, .gpus_per_node = {}}, environment, experiment);
    for (const Analysis& analysis : analyze(experiment, launch, environment, {})) {
      for (const Finding& finding : analysis.findings) {
        if (finding.severity != Severity::note && finding.rule->id.starts_with("MG")) out.emplace(finding.rule->id);
      }
    }
  }
  return out;
}

const std::string overlap = "overlap_grad_reduce: true\noverlap_param_gather: true\n";
const std::string unsharded = "use_distributed_optimizer: false\n";
const std::string fsdp2 = "use_torch_fsdp2: true\ngradient_accumulation_fusion: false\n" + unsharded;
const std::string megatron_fsdp =
    "use_megatron_fsdp: true\nckpt_format: fsdp_dtensor\ngradient_accumulation_fusion: false\n";

TEST(MegatronOverlap, ParametersAreGatheredWhereSomethingShardsThem) {
  EXPECT_THAT(rules_of(overlap), IsEmpty()) << "the presets switch the distributed optimizer on";
  EXPECT_THAT(rules_of(overlap + unsharded), ElementsAre("MG501"));
  EXPECT_THAT(rules_of(overlap + unsharded + megatron_fsdp), IsEmpty());
  EXPECT_THAT(rules_of(overlap + unsharded + "optimizer: dist_muon\n"), IsEmpty());
  EXPECT_THAT(rules_of(overlap + unsharded + "optimizer: muon\n"), ElementsAre("MG501", "MG514"));
  EXPECT_THAT(rules_of(overlap + fsdp2), ElementsAre("MG501")) << "torch FSDP2 does not count";
  EXPECT_THAT(rules_of("overlap_param_gather: true\n" + unsharded), ElementsAre("MG501", "MG502"));
}

TEST(MegatronOverlap, GatheringWithTheStepNeedsChunks) {
  const std::string keys = overlap + "overlap_param_gather_with_optimizer_step: true\nckpt_format: torch\n";
  EXPECT_THAT(rules_of(keys), ElementsAre("MG503"));
  const std::string chunks = "pipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n";
  EXPECT_THAT(rules_of(keys + chunks), IsEmpty());
  EXPECT_THAT(rules_of(keys + chunks + unsharded), ElementsAre("MG501", "MG503"));
}

TEST(MegatronOverlap, BucketsBelongToPlainDataParallelism) {
  const std::string both = "ddp_num_buckets: 4\nddp_bucket_size: 1000\n";
  EXPECT_THAT(rules_of("overlap_grad_reduce: true\n" + both), ElementsAre("MG504"));
  EXPECT_THAT(rules_of("overlap_grad_reduce: true\nddp_num_buckets: 0\n"), ElementsAre("MG504"));
  EXPECT_THAT(rules_of(fsdp2 + both), IsEmpty()) << "torch FSDP2 reads neither";
  EXPECT_THAT(rules_of(megatron_fsdp + "ddp_bucket_size: 1000\n"), IsEmpty());
}

TEST(MegatronOverlap, RegisteredBuffersDoNotMove) {
  Environment expandable;
  expandable.set("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:512,expandable_segments:True");
  EXPECT_THAT(rules_of("nccl_ub: true\n"), IsEmpty());
  EXPECT_THAT(rules_of("nccl_ub: true\n", expandable), ElementsAre("MG508"));
  EXPECT_THAT(rules_of("nccl_ub: false\n", expandable), IsEmpty());
}

TEST(MegatronSharding, OneRankHasNothingToShard) {
  const std::string asked = "use_distributed_optimizer: true\n";
  EXPECT_THAT(rules_of(asked + "tensor_model_parallel_size: 8\n"), ElementsAre("MG509"));
  EXPECT_THAT(rules_of("tensor_model_parallel_size: 8\n"), IsEmpty()) << "the preset asked, not the experiment";
  EXPECT_THAT(rules_of(asked + "context_parallel_size: 8\n"), IsEmpty()) << "context-parallel ranks share the state";
  EXPECT_THAT(rules_of(asked + "num_distributed_optimizer_instances: 8\n"), ElementsAre("MG509"));
  EXPECT_THAT(rules_of(asked + "tensor_model_parallel_size: 8\n", {}, {}), IsEmpty()) << "the world size is a guess";
  const std::string experts =
      "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: true\n"
      "expert_tensor_parallel_size: 1\n";
  EXPECT_THAT(rules_of(asked + experts + "tensor_model_parallel_size: 8\n"), IsEmpty()) << "experts have 8 replicas";
  EXPECT_THAT(rules_of(fsdp2, {}, 1), ElementsAre("MG509"));
}

TEST(MegatronOptimizers, NamesAreLookedInto) {
  EXPECT_THAT(rules_of("optimizer: sgd\n" + unsharded), IsEmpty());
  EXPECT_THAT(rules_of("optimizer: null\n" + unsharded), Contains("MG511"));
  EXPECT_THAT(rules_of("optimizer: dist_muon\n"), ElementsAre("MG513"));
  EXPECT_THAT(rules_of("optimizer: muon\nckpt_format: torch_dcp\n" + unsharded), ElementsAre("MG515", "MG550"));
  EXPECT_THAT(rules_of("optimizer: muon\nckpt_format: torch\n" + unsharded), IsEmpty());
  EXPECT_THAT(rules_of("optimizer: muon\nmuon_per_head: true\nmuon_per_head_strict: false\n" + unsharded),
              Not(Contains("MG517")));
}

TEST(MegatronOptimizers, StateTypes) {
  const std::string aware = "use_precision_aware_optimizer: true\n";
  EXPECT_THAT(rules_of(aware + "main_grads_dtype: bf16\nexp_avg_dtype: fp8\nexp_avg_sq_dtype: fp16\n"), IsEmpty());
  EXPECT_THAT(rules_of("main_grads_dtype: bf16\n"), ElementsAre("MG522"));
  EXPECT_THAT(rules_of(aware + "main_params_dtype: null\n"), ElementsAre("MG523"));
  EXPECT_THAT(rules_of("exp_avg_dtype: bfloat16\n"), ElementsAre("MG523")) << "one fault, one finding";
  EXPECT_THAT(rules_of("megatron_fsdp_grad_comm_dtype: auto\n"), ElementsAre("MG523")) << "looked up in any run";
  EXPECT_THAT(rules_of(aware + "optimizer: sgd\n" + unsharded), ElementsAre("MG521"));
}

TEST(MegatronOptimizers, OffloadWithFp8Gathers) {
  const std::string keys =
      "optimizer_cpu_offload: true\nuse_precision_aware_optimizer: true\nfp8: hybrid\nfp8_param_gather: true\n";
  EXPECT_THAT(rules_of(keys), Not(Contains("MG524"))) << "the preset's recipe is delayed";
  EXPECT_THAT(rules_of(keys + "fp8_recipe: tensorwise\n"), Contains("MG524"));
}

TEST(MegatronOptimizers, GlooIsJudgedBeforeFakeGroupsSwitchItOff) {
  EXPECT_THAT(rules_of("enable_gloo_process_groups: false\nckpt_format: torch\n" + unsharded), IsEmpty());
  EXPECT_THAT(rules_of("fake_process_group: true\nckpt_format: torch\n"), Not(Contains("MG526")));
  EXPECT_THAT(rules_of("enable_gloo_process_groups: false\ndist_ckpt_optim_fully_reshardable: true\n"
                       "distrib_optim_fully_reshardable_mem_efficient: true\n"),
              ElementsAre("MG526"));
}

TEST(MegatronOptimizers, WeightDecayRanges) {
  EXPECT_THAT(rules_of("start_weight_decay: 0.1\n"), ElementsAre("MG527"));
  EXPECT_THAT(rules_of("weight_decay_incr_style: cosine\nstart_weight_decay: 0.1\n"), ElementsAre("MG527"));
}

TEST(MegatronFsdp, Fsdp2RefusesWhatThePresetsSwitchOn) {
  EXPECT_THAT(rules_of("use_torch_fsdp2: true\n"), ElementsAre("MG542", "MG543"));
  EXPECT_THAT(rules_of(fsdp2 + "ckpt_format: fsdp_dtensor\n"), ElementsAre("MG544"));
  EXPECT_THAT(rules_of(fsdp2 + "ckpt_format: torch_dcp\ntensor_model_parallel_size: 2\n"),
              ElementsAre("MG549", "MG550"));
  EXPECT_THAT(rules_of(fsdp2 + "ckpt_format: torch_dcp\npipeline_model_parallel_size: 2\n"), ElementsAre("MG540"));
}

TEST(MegatronFsdp, ReplicasComeFromEitherKey) {
  const std::string replicas = fsdp2 + "data_parallel_replicate_degree: 2\n";
  EXPECT_THAT(rules_of(replicas), ElementsAre("MG555"));
  EXPECT_THAT(rules_of(replicas + "num_distributed_optimizer_instances: 2\n"), IsEmpty());
  EXPECT_THAT(rules_of(fsdp2 + "data_parallel_replicate_degree: 3\nckpt_format: torch_dcp\n"), ElementsAre("MG105"));
}

TEST(MegatronFsdp, CheckpointFormatBelongsToMegatronFsdp) {
  EXPECT_THAT(rules_of("ckpt_format: fsdp_dtensor\n"), ElementsAre("MG560"));
  EXPECT_THAT(rules_of(megatron_fsdp + "context_parallel_size: 2\n"), ElementsAre("MG549"));
  EXPECT_THAT(rules_of(megatron_fsdp + "fsdp_manual_registration: true\n"), ElementsAre("MG567"));
}

TEST(MegatronFsdp, HybridShardingOverReplicas) {
  const std::string outer =
      megatron_fsdp + "data_parallel_sharding_strategy: optim_grads\nouter_dp_sharding_strategy: optim\n";
  EXPECT_THAT(rules_of(outer), IsEmpty()) << "one replica: no outer group";
  EXPECT_THAT(rules_of(outer + "num_distributed_optimizer_instances: 2\n"), ElementsAre("MG563"));
}

}  // namespace
}  // namespace primus_plan
