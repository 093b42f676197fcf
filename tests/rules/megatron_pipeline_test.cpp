// The finer conditions of the rules about stages, schedules, Primus pipelines and hybrid patterns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Analysis analysis_of(const std::string& keys, int world_size = 8) {
  static const MemoryFiles files;
  static const Environment environment;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("case.yaml", keys, {});
  if (loaded.experiments.empty()) return {};
  const Experiment& experiment = loaded.experiments.front();
  const Launch launch =
      find_launch({.world_size = world_size, .nodes = {}, .gpus_per_node = {}}, environment, experiment.pragma);
  Analysis analysis = analyze(experiment, launch, environment, {}).front();
  for (Finding& finding : analysis.findings) finding.primary.origin = {};  // the experiment ends here
  return analysis;
}

/// Errors and warnings of the backend's own rules for these keys over the built-in presets.
std::set<std::string> rules_of(const std::string& keys, int world_size = 8) {
  std::set<std::string> out;
  for (const Finding& finding : analysis_of(keys, world_size).findings) {
    if (finding.severity != Severity::note && finding.rule->id.starts_with("MG")) out.emplace(finding.rule->id);
  }
  return out;
}

constexpr const char* pp4 = "num_layers: 24\npipeline_model_parallel_size: 4\n";

TEST(MegatronPipeline, WhereAnUnevenNumberOfLayersIsNoticed) {
  const std::string layers = "num_layers: 30\npipeline_model_parallel_size: 4\n";
  EXPECT_THAT(rules_of(layers), ElementsAre("MG301"));
  EXPECT_THAT(rules_of(layers + "num_layers_per_virtual_pipeline_stage: 1\n"), ElementsAre("MG301"));
  EXPECT_THAT(rules_of(layers + "num_virtual_stages_per_pipeline_rank: 1\n"), ElementsAre("MG302"));
  EXPECT_THAT(rules_of(layers + "account_for_loss_in_pipeline_split: true\n"), ElementsAre("MG301"));
  EXPECT_THAT(rules_of(layers + "account_for_loss_in_pipeline_split: true\nnum_virtual_stages_per_pipeline_rank: 1\n"),
              ElementsAre("MG303"));
  EXPECT_THAT(rules_of(layers + "account_for_loss_in_pipeline_split: true\n"
                                "account_for_embedding_in_pipeline_split: true\n"),
              IsEmpty());
  EXPECT_THAT(rules_of(layers + "decoder_pipeline_manual_split_list: [8, 8, 8, 6]\n"), ElementsAre("MG302", "MG326"));
  EXPECT_THAT(rules_of("num_layers: null\nencoder_num_layers: 30\npipeline_model_parallel_size: 4\n"),
              ElementsAre("MG302"))
      << "validate_args divides num_layers alone";
}

TEST(MegatronPipeline, LostLayers) {
  const std::string ends = "decoder_first_pipeline_num_layers: 8\ndecoder_last_pipeline_num_layers: 8\n";
  EXPECT_THAT(rules_of("num_layers: 24\n" + ends), ElementsAre("MG315"));
  EXPECT_THAT(rules_of("num_layers: 24\ndecoder_last_pipeline_num_layers: 8\n"), ElementsAre("MG312"));
  EXPECT_THAT(rules_of("num_layers: 24\ndecoder_last_pipeline_num_layers: 24\n"), IsEmpty());
}

TEST(MegatronPipeline, AKeyThatStopsTheRunHidesWhatFollowsFromIt) {
  const std::string both = "num_virtual_stages_per_pipeline_rank: 3\nnum_layers_per_virtual_pipeline_stage: 4\n";
  EXPECT_THAT(rules_of(pp4 + both), ElementsAre("MG304"));
  EXPECT_THAT(rules_of(pp4 + std::string("num_layers_per_virtual_pipeline_stage: 4\npatch_primus_pipeline: true\n")),
              ElementsAre("MG307"));
}

TEST(MegatronPipeline, InterleavedMicroBatches) {
  const std::string chunks = std::string(pp4) + "num_virtual_stages_per_pipeline_rank: 2\nmicro_batch_size: 1\n";
  EXPECT_THAT(rules_of(chunks + "global_batch_size: 8\n"), IsEmpty());
  EXPECT_THAT(rules_of(chunks + "global_batch_size: 6\n"), ElementsAre("MG330"));
  EXPECT_THAT(rules_of(chunks + "global_batch_size: 10\n"), ElementsAre("MG331"));
  EXPECT_THAT(rules_of(chunks + "global_batch_size: 10\nmicrobatch_group_size_per_vp_stage: 5\n"), IsEmpty());
  EXPECT_THAT(rules_of(chunks + "global_batch_size: 18\nmicrobatch_group_size_per_vp_stage: 5\n"), IsEmpty())
      << "a last group of 4 still fills 4 ranks";
  EXPECT_THAT(rules_of(chunks + "global_batch_size: 16\nmicrobatch_group_size_per_vp_stage: 3\n"),
              ElementsAre("MG330"));
}

TEST(MegatronPipeline, RampUpIsJudgedSizeBySize) {
  const std::string ramp = std::string(pp4) +
                           "num_virtual_stages_per_pipeline_rank: 2\nmicro_batch_size: 1\nglobal_batch_size: 32\n"
                           "train_samples: 10000\ntrain_iters: null\nlr_warmup_iters: 0\nlr_decay_iters: null\n";
  EXPECT_THAT(rules_of(ramp + "rampup_batch_size: [8, 8, 1000]\n"), IsEmpty());
  EXPECT_THAT(rules_of(ramp + "rampup_batch_size: [8, 4, 1000]\n"), ElementsAre("MG332"));
}

TEST(MegatronPipeline, PrimusSchedulesAreStricterThanMegatron) {
  const std::string primus = std::string(pp4) + "patch_primus_pipeline: true\nmicro_batch_size: 1\n";
  EXPECT_THAT(rules_of(primus + "pp_algorithm: 1f1b\nglobal_batch_size: 4\n"), ElementsAre("MG355"));
  EXPECT_THAT(rules_of(primus + "pp_algorithm: 1f1b\nglobal_batch_size: 6\n"), IsEmpty());
  const std::string two = primus + "num_virtual_stages_per_pipeline_rank: 2\npp_algorithm: ";
  EXPECT_THAT(rules_of(two + "zbv-formatted\nglobal_batch_size: 12\n"), ElementsAre("MG355"));
  EXPECT_THAT(rules_of(two + "zbv-formatted\nglobal_batch_size: 14\n"), IsEmpty());
  EXPECT_THAT(rules_of(two + "v-min\nglobal_batch_size: 2\n"), IsEmpty());
  EXPECT_THAT(rules_of(two + "1f1b-interleaved\nglobal_batch_size: 24\n"), IsEmpty());
  EXPECT_THAT(rules_of(two + "1f1b-interleaved\nglobal_batch_size: 20\n"), ElementsAre("MG355"));
  EXPECT_THAT(rules_of(primus + "pp_algorithm: v-half\npipeline_model_parallel_layout: \"Et*6|t*6|t*6|t*6L\"\n"),
              ElementsAre("MG353"));
}

TEST(MegatronPipeline, KeysOfASwitchedOffScheduleMatterOnlyWhereTheyPromiseSomethingElse) {
  EXPECT_THAT(rules_of(std::string(pp4) + "pp_algorithm: 1f1b\n"), IsEmpty()) << "what Megatron runs anyway";
  EXPECT_THAT(rules_of(std::string(pp4) + "pp_algorithm: 1f1b-interleaved\n"), ElementsAre("MG361"));
  EXPECT_THAT(rules_of(std::string(pp4) + "enable_zero_bubble: false\n"), IsEmpty());
  EXPECT_THAT(rules_of(std::string(pp4) + "enable_zero_bubble: true\n"), ElementsAre("MG361"));
}

TEST(MegatronPipeline, HybridPatternsSayLayersChunksAndPredictionDepths) {
  const std::string pattern = "num_layers: null\nposition_embedding_type: rope\npipeline_model_parallel_size: 2\n";
  const Analysis analysis = analysis_of(pattern + "hybrid_layer_pattern: \"M*|M-|M*M|M/*-/*-\"\n");
  EXPECT_EQ(analysis.errors, 0U);
  EXPECT_EQ(analysis.run.degrees.virtual_pipeline, 2);
  ASSERT_EQ(analysis.run.stages.size(), 2U);
  EXPECT_EQ(analysis.run.stages[0][1].layers, 3);
  EXPECT_EQ(analysis.run.stages[1][1].mtp_layers, 2);
  EXPECT_THAT(rules_of("hybrid_override_pattern: \"M*M*\"\nnum_layers: 4\n"), IsEmpty());
  EXPECT_THAT(rules_of("hybrid_override_pattern: \"M*M*\"\nnum_layers: 5\n"), ElementsAre("MG382"));
  EXPECT_THAT(rules_of(pattern + "hybrid_override_pattern: \"M*\"\nhybrid_layer_pattern: \"M*\"\n"),
              ElementsAre("MG383"));
  EXPECT_THAT(rules_of(pattern + "hybrid_layer_pattern: \"M*M*\"\naccount_for_loss_in_pipeline_split: true\n"
                                 "num_layers_per_virtual_pipeline_stage: 1\n"),
              ElementsAre("MG383"));
  const Analysis old = analysis_of(
      "num_layers: null\nposition_embedding_type: rope\nmtp_num_layers: 2\n"
      "hybrid_override_pattern: \"M*M*\"\nmtp_hybrid_override_pattern: \"*-\"\n");
  EXPECT_EQ(old.errors, 0U);
  EXPECT_EQ(old.run.stages[0][0].mtp_layers, 2);
}

}  // namespace
}  // namespace primus_plan
