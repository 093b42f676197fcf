// The rows of the guide's decision table come out of the cost model: what the planner takes first for the sizes that
// the guide speaks of, on MI300X.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/written_plan.h"

namespace primus_plan {
namespace {

struct Ask {
  const char* model;
  std::int64_t gpus;
  std::int64_t global_batch;
  std::int64_t sequence;
};

PlanResult plan(const Ask& ask, const std::map<PlanAxis, std::vector<std::int64_t>>& allowed = {},
                const char* part = "MI300X") {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, {});
  const LoadResult loaded = loader.load_text("e.yaml", experiment_around("megatron", ask.model), {});
  const auto prepared = prepare(loaded.experiments.at(0).modules.at(0), environment);
  PlanRequest request;
  request.worlds = {ask.gpus};
  request.task = {.global_batch = ask.global_batch, .sequence_length = ask.sequence};
  request.hardware = find_hardware(part, files);
  request.allowed = allowed;
  request.jobs = 2;
  return make_plan(*prepared, request);
}

constexpr Ask small{"llama2_7B", 8, 1024, 4096};
constexpr Ask large{"llama3.1_70B", 64, 1024, 4096};
constexpr Ask large_and_long{"llama3.1_70B", 64, 64, 65536};
constexpr Ask experts{"deepseek_v3", 1024, 8192, 4096};

TEST(GuidePlans, WhatFitsOnOneGpuIsDataParallelOnly) {
  const PlanResult result = plan(small);
  ASSERT_FALSE(result.points.empty());
  const Candidate& first = result.points.front().candidate;
  EXPECT_EQ(first.tensor * first.pipeline * first.context, 1);
  // The guide's other row, tensor parallel over the node, is far slower for it.
  const PlanResult cut = plan(small, {{PlanAxis::tensor, {8}}});
  EXPECT_GT(result.points.front().tokens_per_second_per_gpu, 1.2 * cut.points.front().tokens_per_second_per_gpu);
}

TEST(GuidePlans, LargeModelsKeepTensorParallelInsideTheNode) {
  for (const char* part : {"MI300X", "H100"}) {
    const PlanResult result = plan(large, {}, part);
    ASSERT_GE(result.plans.size(), 3U);
    for (const ProposedPlan& proposed : result.plans) {
      EXPECT_LE(proposed.point.candidate.tensor, 8) << part;
      EXPECT_EQ(std::ranges::count(proposed.crossing, "TP"), 0) << part;
    }
    const Candidate& first = result.points.front().candidate;
    EXPECT_GT(first.tensor * first.pipeline, 1) << part;
    EXPECT_EQ(std::ranges::count(result.plans.front().crossing, "PP"), 1) << part;
  }
}

TEST(GuidePlans, LongSequencesAreCutByContextParallel) {
  const PlanResult result = plan(large_and_long);
  ASSERT_FALSE(result.points.empty());
  EXPECT_GT(result.points.front().candidate.context, 1);
  const PlanResult without = plan(large_and_long, {{PlanAxis::context, {1}}});
  EXPECT_GT(result.points.front().tokens_per_second_per_gpu, without.points.front().tokens_per_second_per_gpu);
}

TEST(GuidePlans, ExpertsAreSpreadWithoutLeavingTheNodeMoreThanNeeded) {
  const PlanResult result = plan(experts, {{PlanAxis::tensor, {1, 2, 8}}, {PlanAxis::context, {1}}});
  ASSERT_FALSE(result.points.empty());
  const Candidate& first = result.points.front().candidate;
  EXPECT_GE(first.expert, 8);
  EXPECT_GT(first.pipeline, 1);
  const PlanResult guide = plan(
      experts, {{PlanAxis::tensor, {8}}, {PlanAxis::pipeline, {4}}, {PlanAxis::expert, {8}}, {PlanAxis::context, {1}}});
  ASSERT_FALSE(guide.points.empty());
  EXPECT_GT(result.points.front().tokens_per_second_per_gpu, guide.points.front().tokens_per_second_per_gpu);
}

}  // namespace
}  // namespace primus_plan
