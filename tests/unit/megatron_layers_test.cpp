#include <gtest/gtest.h>

#include <string>

#include "backends/megatron/layers.h"

namespace primus_plan::megatron {
namespace {

using Kind = LayerFault::Kind;
using Stages = std::vector<std::string>;

/// "E0+3 | 12+3mmL": first layer and number of layers of the chunks of a rank, with embedding, MTP layers and loss.
std::string rank_of(const LayerSplit& split, std::size_t rank) {
  std::string text;
  for (const StageChunk& chunk : split.stages.at(rank)) {
    if (!text.empty()) text += " | ";
    text += chunk.embedding ? "E" : "";
    text += std::to_string(chunk.first_layer) + "+" + std::to_string(chunk.layers);
    text += std::string(static_cast<std::size_t>(chunk.mtp_layers), 'm');
    text += chunk.loss ? "L" : "";
  }
  return text;
}

Kind fault_of(const LayerSplitInput& input) { return split_layers(input).fault.value().kind; }

TEST(MegatronLayers, EndsAndMtpLayersWithoutALayout) {
  const LayerSplit split = split_layers({.layers = 24, .pipeline = 4, .virtual_pipeline = 2, .mtp_layers = 2});
  EXPECT_EQ(rank_of(split, 0), "E0+3 | 12+3");
  EXPECT_EQ(rank_of(split, 1), "3+3 | 15+3");
  EXPECT_EQ(rank_of(split, 3), "9+3 | 21+3mmL");
}

TEST(MegatronLayers, VSchedulesFoldThePipeline) {
  const LayerSplit split =
      split_layers({.layers = 24, .pipeline = 4, .virtual_pipeline = 2, .mtp_layers = 1, .v_schedule = true});
  EXPECT_EQ(rank_of(split, 0), "E0+3 | 21+3mL");
  EXPECT_EQ(rank_of(split, 3), "9+3 | 12+3");
  EXPECT_EQ(fault_of({.layers = 24, .pipeline = 4, .v_schedule = true}), Kind::v_schedule_virtual);
}

TEST(MegatronLayers, VSchedulesFoldALayout) {
  const PipelineLayout layout = parse_pipeline_layout("Et*5|t*6|t*7|t*6L").layout;
  const LayerSplit split = split_layers({.layers = 24, .pipeline = 2, .layout = &layout, .v_schedule = true});
  EXPECT_EQ(rank_of(split, 0), "E0+5 | 18+6L");
  EXPECT_EQ(rank_of(split, 1), "5+6 | 11+7");
  EXPECT_EQ(split.virtual_pipeline, 2);
  const PipelineLayout flat = parse_pipeline_layout("Et*12|t*12L").layout;
  EXPECT_EQ(fault_of({.layers = 24, .pipeline = 2, .layout = &flat, .v_schedule = true}), Kind::layout_v_schedule);
}

TEST(MegatronLayers, LayersThatNoStageBuilds) {
  // Both ends set on one rank: the last one wins, and 16 of 24 layers are never built.
  const LayerSplit one = split_layers({.layers = 24, .pipeline = 1, .first = 8, .last = 8});
  ASSERT_TRUE(one.fault.has_value());
  EXPECT_EQ(one.fault->kind, Kind::layers_lost);
  EXPECT_EQ(one.fault->a, 8);
  EXPECT_EQ(rank_of(one, 0), "E0+8L");
  // More layers at the ends than there are: the middle would have a negative number.
  const LayerSplit four = split_layers({.layers = 24, .pipeline = 4, .first = 14, .last = 14});
  ASSERT_TRUE(four.fault.has_value());
  EXPECT_EQ(four.fault->kind, Kind::layers_lost);
  EXPECT_EQ(four.fault->a, 28);
  EXPECT_EQ(rank_of(four, 1), "14+0");
}

TEST(MegatronLayers, AResultCanBeUsedAgain) {
  LayerSplit split;
  split_layers({.layers = 24, .pipeline = 4, .virtual_pipeline = 2, .mtp_layers = 1}, split);
  split_layers({.layers = 12, .pipeline = 2}, split);
  EXPECT_EQ(split.virtual_pipeline, std::nullopt);
  EXPECT_EQ(rank_of(split, 0), "E0+6");
  EXPECT_EQ(rank_of(split, 1), "6+6L");
  split_layers({.layers = 13, .pipeline = 2}, split);
  EXPECT_TRUE(split.stages.empty());
}

TEST(MegatronLayers, SizesFromAFileAreBounded) {
  EXPECT_EQ(fault_of({.layers = 24, .pipeline = 0}), Kind::size_not_positive);
  EXPECT_EQ(fault_of({.layers = 24, .pipeline = 4, .virtual_pipeline = -2}), Kind::size_not_positive);
  EXPECT_EQ(fault_of({.layers = std::int64_t{1} << 62, .pipeline = 4}), Kind::size_too_large);
  EXPECT_EQ(fault_of({.layers = 24, .pipeline = std::int64_t{1} << 40, .virtual_pipeline = 1 << 30}),
            Kind::size_too_large);
}

TEST(MegatronLayers, HybridPatternsWithPipes) {
  const HybridPattern pattern = parse_hybrid_pattern("M*|M-M*|ME|M*E/MM/MM").pattern;
  const LayerSplitInput input{
      .layers = pattern.layers(), .pipeline = 2, .mtp_layers = pattern.mtp_depths, .hybrid = &pattern};
  const LayerSplit split = split_layers(input);
  EXPECT_EQ(split.virtual_pipeline, 2);
  EXPECT_EQ(rank_of(split, 0), "E0+2 | 6+2");
  EXPECT_EQ(rank_of(split, 1), "2+4 | 8+3mmL");
  LayerSplitInput three = input;
  three.pipeline = 3;
  EXPECT_EQ(fault_of(three), Kind::hybrid_segments);
}

TEST(MegatronLayers, HybridPatternsWithoutPipesSplitEvenly) {
  const HybridPattern pattern = parse_hybrid_pattern("M*M*").pattern;
  EXPECT_EQ(rank_of(split_layers({.layers = 4, .pipeline = 2, .hybrid = &pattern}), 1), "2+2L");
  EXPECT_EQ(fault_of({.layers = 4, .pipeline = 2, .virtual_pipeline = 2, .hybrid = &pattern}),
            Kind::hybrid_virtual_without_pipes);
  EXPECT_EQ(fault_of({.layers = 4, .pipeline = 3, .hybrid = &pattern}), Kind::layers_not_divisible);
}

TEST(PipelineLayout, ExpandsOnceFromLeftToRight) {
  EXPECT_EQ(parse_pipeline_layout("Et,t|(tt|)*2tL").layout.stages, (Stages{"Ett", "tt", "tt", "tL"}));
  EXPECT_EQ(parse_pipeline_layout("E|*3L").layout.stages, (Stages{"E", "", "", "L"})) << "| is repeated like a layer";
  EXPECT_EQ(parse_pipeline_layout("Et*0L").layout.stages, (Stages{"EL"}));
  EXPECT_EQ(parse_pipeline_layout("(t*2)*2").layout.stages, (Stages{"tttt"})) << "a factor inside a group";
  EXPECT_EQ(parse_pipeline_layout("").layout.stages, (Stages{""}));
}

TEST(PipelineLayout, ErrorsPointIntoTheTextAsWritten) {
  const LayoutError inner = parse_pipeline_layout("Et*2,(t|x)*2L").error.value();
  EXPECT_EQ(inner.position, 8U);
  EXPECT_EQ(inner.stage, 1U);
  EXPECT_EQ(parse_pipeline_layout("E t|tL").error.value().position, 1U) << "a space is no layer";
  EXPECT_EQ(parse_pipeline_layout("Et*2*3L").error.value().position, 4U) << "no factor of a factor";
  EXPECT_EQ(parse_pipeline_layout("((tt)*2|)*3").error.value().position, 1U) << "no nesting: the group is (tt";
  EXPECT_EQ(parse_pipeline_layout("Et|tü|L").error.value().length, 2U) << "a whole character";
  EXPECT_EQ(parse_pipeline_layout("Et*99999999999999999999L").error.value().kind, LayoutError::Kind::too_long);
}

TEST(HybridPattern, SymbolsAndMtp) {
  EXPECT_EQ(parse_hybrid_pattern("M*-E").pattern.layers(), 4);
  EXPECT_EQ(parse_hybrid_pattern("MX*").error.value().position, 1U);
  const HybridError different = parse_hybrid_pattern("M*/MM/M*").error.value();
  EXPECT_EQ(different.kind, HybridError::Kind::different_mtp_patterns);
  EXPECT_EQ(different.position, 6U);
  EXPECT_EQ(parse_hybrid_pattern("M*/M|M").error.value().position, 4U) << "no stages inside a prediction depth";
  EXPECT_EQ(parse_hybrid_pattern("M*/").pattern.mtp_depths, 0);
}

}  // namespace
}  // namespace primus_plan::megatron
