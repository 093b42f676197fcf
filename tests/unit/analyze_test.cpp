#include "primus_plan/backends/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/loaded_run.h"

namespace primus_plan::test {
namespace {

using testing::IsSupersetOf;

const Finding* find(const Analysis& analysis, std::string_view rule) {
  const auto found = std::ranges::find(analysis.findings, rule, [](const Finding& f) { return f.rule->id; });
  return found == analysis.findings.end() ? nullptr : &*found;
}

// The heads stand in the model's preset, the degree in the experiment.
TEST(Analyze, AFindingStandsOnTheLineThatTheUserWrote) {
  const LoadedRun run(experiment_text("megatron", "llama3_8B", "tensor_model_parallel_size: 3\n"), 3);
  const Finding* heads = find(run.analysis(), "MG630");
  ASSERT_NE(heads, nullptr);
  EXPECT_EQ(heads->primary.origin.source->path(), "exp.yaml");
  ASSERT_EQ(heads->related.size(), 1U);
  EXPECT_EQ(heads->related.front().origin.layer, Layer::model_preset);
}

TEST(Analyze, AnIgnoreCommentOnThatLineCounts) {
  const LoadedRun run(
      experiment_text("megatron", "llama3_8B", "tensor_model_parallel_size: 3  # primus-plan: ignore[MG6] a trial\n"),
      3);
  EXPECT_EQ(find(run.analysis(), "MG630"), nullptr);
  EXPECT_EQ(find(run.analysis(), "CF221"), nullptr);
}

// One GPU is the smallest world that this file allows, and nobody chose it.
constexpr const char* float8_gather =
    "model:\n  converters: [quantize.linear.float8]\nquantize:\n  linear:\n    float8:\n"
    "      enable_fsdp_float8_all_gather: true\nprimus_turbo:\n  use_turbo_float8_linear: false\n";

TEST(Analyze, ASizeThatNobodyGaveIsNotHeldAgainstTheRun) {
  const std::string text = experiment_text("torchtitan", "llama3.1_8B", float8_gather);
  const LoadedRun assumed(text, 0);
  EXPECT_TRUE(assumed.analysis().run.launch.assumed);
  EXPECT_EQ(find(assumed.analysis(), "TT729"), nullptr);
  EXPECT_EQ(assumed.analysis().warnings, 0U);
  const LoadedRun chosen(text, 1);
  EXPECT_NE(find(chosen.analysis(), "TT729"), nullptr);
}

TEST(Analyze, WorldsThatAreAskedForBeginBelowANode) {
  const LoadedRun run(experiment_text("megatron", "llama3.2_1B", "tensor_model_parallel_size: 2\n"), 8);
  Environment environment;
  const Launch launch{.world_size = 8, .nodes = 1, .gpus_per_node = 8, .source = {}, .assumed = false};
  const Analysis analysis =
      analyze(run.experiment(), launch, environment, {.with_text = true, .legal_worlds = 3}).at(0);
  std::vector<std::int64_t> sizes;
  for (const LegalWorld& world : analysis.legal_worlds) sizes.push_back(world.world_size);
  EXPECT_THAT(sizes, IsSupersetOf({2, 4, 8, 16}));
}

}  // namespace
}  // namespace primus_plan::test
