// What a MaxText run is, said in the words that all backends share: degrees, stages, groups, worlds, overrides.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backends/maxtext/overrides.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/document.h"
#include "primus_plan/config/launch.h"

namespace primus_plan::maxtext {
namespace {

class Subject {
 public:
  explicit Subject(const std::string& yaml)
      : source_("keys.yaml", "hardware: gpu\nattention: dot_product\npacking: false\n" + yaml) {
    module_.name = "pre_trainer";
    module_.framework = "maxtext";
    module_.params = parse_yaml(source_, Layer::experiment, {}, remarks_);
    prepared_ = find_backend("maxtext")->prepare(module_, environment_);
  }

  Analysis decide(std::int64_t nodes, std::int64_t gpus = 8) const {
    return prepared_->decide(launch(nodes, gpus), {});
  }
  RankLayout layout(std::int64_t nodes) const { return prepared_->layout(launch(nodes, 8)); }
  const Prepared& prepared() const { return *prepared_; }

 private:
  static Launch launch(std::int64_t nodes, std::int64_t gpus) {
    return {.world_size = nodes * gpus, .nodes = nodes, .gpus_per_node = gpus, .source = {}, .assumed = false};
  }

  Source source_;
  Remarks remarks_;
  Environment environment_;
  Module module_;
  std::unique_ptr<Prepared> prepared_;
};

const GroupKind& group(const RankLayout& layout, std::string_view name) {
  return *std::find_if(layout.groups.begin(), layout.groups.end(),
                       [&](const GroupKind& kind) { return kind.name() == name; });
}

using Ranks = std::vector<std::int64_t>;

TEST(MaxTextDegrees, SamplesAreSplitOverDataFsdpAndExpert) {
  const Subject subject(
      "model_name: mixtral-8x7b\nici_tensor_parallelism: 2\nici_expert_parallelism: 2\nper_device_batch_size: 2\n");
  const Analysis analysis = subject.decide(2);
  const Degrees& degrees = analysis.run.degrees;
  EXPECT_EQ(degrees.tensor, 2);
  EXPECT_EQ(degrees.expert, 2);
  EXPECT_EQ(degrees.data, 8);  // data 2 x fsdp 2 x expert 2
  EXPECT_EQ(degrees.data_replicate, 2);
  EXPECT_EQ(degrees.data_shard, 4);
  EXPECT_EQ(degrees.expert_data, 4);
  EXPECT_EQ(analysis.run.batch.global, 32);
  EXPECT_EQ(analysis.run.batch.micro, 4);
}

TEST(MaxTextDegrees, TheExpertAxisOfADenseModelIsNoExpertParallel) {
  const Degrees degrees = Subject("ici_expert_parallelism: 4\n").decide(1).run.degrees;
  EXPECT_EQ(degrees.expert, 1);
  EXPECT_EQ(degrees.data, 8);
}

TEST(MaxTextDegrees, AnExpertAxisThatPlaysContextSplitsTheSequence) {
  const Subject subject("model_name: mixtral-8x7b\ncustom_mesh_and_rule: ep-as-cp\nici_expert_parallelism: 4\n");
  const Degrees degrees = subject.decide(1).run.degrees;
  EXPECT_EQ(degrees.context, 4);
  EXPECT_EQ(degrees.data, 2);
}

TEST(MaxTextDegrees, AreZeroWithoutAMesh) {
  const Degrees degrees = Subject("ici_tensor_parallelism: 3\n").decide(1).run.degrees;
  EXPECT_EQ(degrees.tensor, 0);
  EXPECT_EQ(degrees.data, 0);
}

TEST(MaxTextStages, RepeatsGoRoundTheStages) {
  const Subject subject(
      "base_num_decoder_layers: 16\nici_pipeline_parallelism: 4\nnum_layers_per_pipeline_stage: "
      "2\nper_device_batch_size: 1\n");
  const RunDescription run = subject.decide(1).run;
  ASSERT_EQ(run.stages.size(), 4U);
  ASSERT_EQ(run.stages[1].size(), 2U);
  EXPECT_EQ(run.stages[1][0].first_layer, 2);
  EXPECT_EQ(run.stages[1][1].first_layer, 10);
  EXPECT_EQ(run.stages[1][1].layers, 2);
  EXPECT_EQ(run.degrees.virtual_pipeline, 2);
  EXPECT_EQ(run.batch.pipeline_micro_batches, 4);
  EXPECT_EQ(run.schedule, PipelineSchedule::interleaved);
}

TEST(MaxTextStages, ZeroOnOneSideStopsThePipeline) {
  const Analysis analysis =
      Subject("ici_pipeline_parallelism: 4\ndcn_pipeline_parallelism: 0\nper_device_batch_size: 1\n").decide(1);
  ASSERT_EQ(analysis.errors, 1U);
  EXPECT_EQ(analysis.findings.at(0).rule->name, "layers-not-over-stages");
}

TEST(MaxTextStages, DeepseeksDenseLayersComeBeforeThePipeline) {
  const Subject subject("model_name: deepseek2-16b\nici_pipeline_parallelism: 2\nper_device_batch_size: 1\n");
  const RunDescription run = subject.decide(1).run;
  ASSERT_EQ(run.stages.size(), 2U);
  ASSERT_EQ(run.stages[0].size(), 14U);  // the dense layer, then 13 rounds of one layer
  EXPECT_EQ(run.stages[0][0].layers, 1);
  EXPECT_EQ(run.stages[1][1].first_layer, 2);
}

TEST(MaxTextLayout, OneSliceIsRowMajor) {
  const RankLayout layout = Subject("ici_fsdp_parallelism: 4\nici_tensor_parallelism: 2\n").layout(1);
  EXPECT_EQ(group(layout, "tp").group(0), (Ranks{0, 1}));
  EXPECT_EQ(group(layout, "fsdp").group(1), (Ranks{1, 3, 5, 7}));
  EXPECT_EQ(group(layout, "dp").size(), 4);
  EXPECT_EQ(group(layout, "pp").size(), 1);
}

TEST(MaxTextLayout, DcnDegreesAreTheSlowPartOfAnAxis) {
  const RankLayout layout = Subject("dcn_fsdp_parallelism: 2\nici_tensor_parallelism: 4\n").layout(4);
  EXPECT_EQ(group(layout, "tp").group(0), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(group(layout, "fsdp").group(0), (Ranks{0, 4, 8, 12}));
  EXPECT_EQ(group(layout, "dp_replicate").group(0), (Ranks{0, 16}));
  EXPECT_EQ(group(layout, "tp").groups_across_nodes(8), 0);
  EXPECT_EQ(group(layout, "fsdp").groups_across_nodes(8), 8);
}

TEST(MaxTextLayout, PipelineStagesComeBeforeData) {
  const Subject subject(
      "ici_pipeline_parallelism: 2\nici_data_parallelism: 2\nici_fsdp_parallelism: 2\nper_device_batch_size: 1\n");
  const RankLayout layout = subject.layout(1);
  EXPECT_EQ(group(layout, "pp").group(0), (Ranks{0, 4}));
  EXPECT_EQ(group(layout, "dp_replicate").group(0), (Ranks{0, 2}));
}

TEST(MaxTextWorlds, SmallestAndLegal) {
  EXPECT_EQ(Subject("ici_tensor_parallelism: 4\n").prepared().smallest_world(), 4);
  EXPECT_EQ(Subject("dcn_fsdp_parallelism: 2\n").prepared().smallest_world(), 16);
  EXPECT_EQ(Subject("ici_fsdp_parallelism: 4\ndcn_data_parallelism: 2\n").prepared().smallest_world(), 8);
  EXPECT_EQ(Subject("ici_tensor_parallelism: 0\n").prepared().smallest_world(), 0);
  EXPECT_EQ(Subject("ici_tensor_parallelism: -1\n").prepared().smallest_world(), 0);
  const Subject two_or_four("dcn_fsdp_parallelism: 2\nper_device_batch_size: 1\n");
  const auto worlds = legal_worlds(two_or_four.prepared(), 8, 8, 8);
  ASSERT_EQ(worlds.size(), 4U);
  EXPECT_EQ(worlds[0].nodes, 2);
  EXPECT_EQ(worlds[1].nodes, 4);
  EXPECT_EQ(worlds[1].data, 32);
}

Launch nodes_of(std::int64_t gpus_per_node, std::int64_t nodes) {
  Launch out;
  out.gpus_per_node = gpus_per_node;
  out.nodes = nodes;
  out.world_size = gpus_per_node * nodes;
  return out;
}

TEST(MaxTextOverrides, PutDegreesInsideANodeFirst) {
  const auto overrides = degree_overrides(
      {.tensor = 4, .pipeline = 2, .context = 1, .expert = 4, .expert_tensor = 0, .data_replicate = 1}, nodes_of(8, 4));
  const std::vector<std::pair<std::string, std::string>> expected{
      {"ici_tensor_parallelism", "4"},  {"ici_expert_parallelism", "2"},   {"dcn_expert_parallelism", "2"},
      {"ici_context_parallelism", "1"}, {"ici_pipeline_parallelism", "1"}, {"dcn_pipeline_parallelism", "2"},
      {"ici_fsdp_parallelism", "-1"},   {"ici_data_parallelism", "1"},     {"dcn_data_parallelism", "1"},
      {"dcn_fsdp_parallelism", "-1"}};
  EXPECT_EQ(overrides, expected);
}

TEST(MaxTextOverrides, DividesNodesOfAnySizeAndTheirNumber) {
  for (const auto& [gpus, nodes] : {std::pair{7, 3}, {6, 4}, {4, 6}, {8, 3}, {12, 5}, {1, 36}, {36, 1}}) {
    const std::int64_t world = std::int64_t{gpus} * nodes;
    for (std::int64_t tensor = 1; tensor <= world; ++tensor) {
      for (std::int64_t pipeline = 1; pipeline * tensor <= world; ++pipeline) {
        if (world % (tensor * pipeline) != 0) continue;
        std::int64_t inside = 1;
        std::int64_t across = 1;
        for (const auto& [key, value] :
             degree_overrides({.tensor = tensor, .pipeline = pipeline, .expert_tensor = 0}, nodes_of(gpus, nodes)))
          if (value != "-1") (key.starts_with("ici_") ? inside : across) *= std::stoll(value);
        EXPECT_EQ(inside * across, tensor * pipeline);
        EXPECT_EQ(gpus % inside, 0) << "TP " << tensor << " PP " << pipeline << " on " << nodes << " x " << gpus;
        EXPECT_EQ(nodes % across, 0) << "TP " << tensor << " PP " << pipeline << " on " << nodes << " x " << gpus;
      }
    }
  }
}

TEST(MaxTextOverrides, NodesThatAreNotFullAreAsTheLaunchHasThem) {
  // 12 GPUs on nodes of 8 are 6 and 6.
  const auto overrides = degree_overrides({.tensor = 4, .pipeline = 3, .expert_tensor = 0}, sized_launch(12, 8));
  EXPECT_EQ(overrides[0], (std::pair<std::string, std::string>{"ici_tensor_parallelism", "2"}));
  EXPECT_EQ(overrides[1], (std::pair<std::string, std::string>{"dcn_tensor_parallelism", "2"}));
  EXPECT_THAT(overrides, testing::Contains(std::pair<std::string, std::string>{"ici_pipeline_parallelism", "3"}));
}

TEST(MaxTextOverrides, ExpertsCutInAnotherWayCannotBeSaid) {
  EXPECT_TRUE(degree_overrides({.tensor = 4, .expert = 2, .expert_tensor = 1}, nodes_of(8, 1)).empty());
}

TEST(MaxTextBatch, RampsUpInWholeIncrements) {
  const Subject subject("enable_rampup_batch_size: true\nper_device_batch_size: 8\nglobal_rampup_samples: 1000\n");
  const Analysis analysis = subject.decide(1);
  const auto value = [&](std::string_view key) {
    return std::find_if(analysis.effective.begin(), analysis.effective.end(),
                        [&](const auto& pair) { return pair.first == key; })
        ->second->integer;
  };
  EXPECT_EQ(value("global_batch_size_to_load_start"), 32);
  EXPECT_EQ(value("global_batch_size_to_load_increment"), 16);
  // Two increments of 500 samples: ceil(500 / 32) + ceil(500 / 48).
  EXPECT_EQ(value("rampup_end_step"), 16 + 11);
}

}  // namespace
}  // namespace primus_plan::maxtext
