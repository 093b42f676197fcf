#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "planner/rank.h"
#include "planner/search.h"
#include "planner/sensitivity.h"
#include "primus_plan/planner/assumed_batch.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/written_plan.h"
#include "primus_plan/report/plan.h"
#include "support/planned_model.h"

namespace primus_plan {
namespace {

using test::known_of;
using test::Subject;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<Candidate> candidates(const std::vector<PlanPoint>& points) {
  std::vector<Candidate> out;
  out.reserve(points.size());
  for (const PlanPoint& point : points) out.push_back(point.candidate);
  return out;
}

std::int64_t batch_for(const std::vector<std::int64_t>& worlds, std::int64_t sequence_length) {
  return assumed_batch(worlds, sequence_length);
}

TEST(AssumedBatch, IsDividedByEveryDegreeOfTheWorld) {
  EXPECT_EQ(batch_for({64}, 4096), 1024);
  EXPECT_EQ(batch_for({21}, 4096), 1008);
  EXPECT_EQ(batch_for({10'000}, 4096), 80'000);
  for (std::int64_t world = 1; world <= 2000; ++world) {
    const std::int64_t batch = batch_for({world}, 4096);
    const std::int64_t wanted = std::max<std::int64_t>(1024, 8 * world);
    EXPECT_EQ(batch % world, 0) << world;
    EXPECT_LE(std::abs(batch - wanted), std::max(wanted / 16, world / 2)) << world;
  }
}

TEST(AssumedBatch, IsDividedByEveryWorldWhereThatIsNear) {
  EXPECT_EQ(batch_for({16, 24, 32}, 4096) % 96, 0);
  EXPECT_EQ(batch_for({21, 22, 23}, 4096) % 23, 0);
}

TEST(AssumedBatch, IsAtLeastASampleOfEachGpu) {
  EXPECT_EQ(batch_for({1}, 64 << 20), 8);
  EXPECT_EQ(batch_for({7}, 64 << 20) % 7, 0);
}

TEST(Planner, PruningLosesNothing) {
  for (const auto& [framework, model] :
       {std::pair("megatron", "llama2_13B"), std::pair("megatron", "mixtral_8x7B_v0.1"),
        std::pair("torchtitan", "llama3.1_8B"), std::pair("maxtext", "llama3_70B")}) {
    SCOPED_TRACE(std::string(framework) + " " + model);
    const Subject subject(framework, model);
    PlanRequest request = subject.request(8, 64, 4096);
    const PlanSubject known = known_of(subject, request);
    const std::vector<PlanGroup> groups = plan_groups(known, request);
    const SearchOutcome pruned = search(*subject, known, request, groups, {});
    const SearchOutcome brute = search(*subject, known, request, groups, {}, {.prune = false});
    EXPECT_EQ(candidates(pruned.points), candidates(brute.points));
    EXPECT_FALSE(pruned.points.empty());
    EXPECT_EQ(brute.rejections.unjudged, 0U);
    EXPECT_LE(pruned.judged, brute.judged);
    EXPECT_EQ(pruned.least_memory.candidate, brute.least_memory.candidate);
  }
}

TEST(Planner, PruningKnowsThatOnePassCarriesNoGradients) {
  const Subject subject("maxtext", "llama3_8B");
  PlanRequest request = subject.request(1, 4, 1024);
  const PlanSubject known = known_of(subject, request);
  const std::vector<PlanGroup> groups = plan_groups(known, request);
  // From too small for anything to large enough for some: at each size the same must be found.
  for (const double gib : {40.0, 62.0, 66.0, 70.0, 74.0, 78.0, 90.0}) {
    request.hardware.memory_bytes = gib * (1 << 30);
    const SearchOutcome pruned = search(*subject, known, request, groups, {});
    const SearchOutcome brute = search(*subject, known, request, groups, {}, {.prune = false});
    EXPECT_EQ(candidates(pruned.points), candidates(brute.points)) << gib;
  }
}

TEST(Planner, MaxTextsMeshIsThatOfTheNodesOfTheLaunch) {
  // 12 GPUs on nodes of 8 are 6 and 6.
  const Subject subject("maxtext", "llama3_8B");
  const PlanResult result = make_plan(*subject, subject.request(12, 96, 4096));
  ASSERT_FALSE(result.points.empty());
}

TEST(Planner, TheFirstIsComparedWithTheSecondShownOrNot) {
  const Subject subject("megatron", "llama2_7B");
  PlanRequest request = subject.request(8, 64, 4096);
  const PlanResult five = make_plan(*subject, request);
  request.top = 1;
  const PlanResult one = make_plan(*subject, request);
  ASSERT_EQ(one.plans.size(), 1U);
  ASSERT_TRUE(one.runner_up && five.runner_up);
  EXPECT_EQ(one.plans[0].point.candidate, five.plans[0].point.candidate);
  EXPECT_EQ(one.runner_up->point.candidate, five.plans[1].point.candidate);
}

TEST(Planner, AnyNumberOfThreadsGivesTheSameReport) {
  const Subject subject("megatron", "llama3.1_8B");
  PlanRequest request = subject.request(32, 256, 8192);
  const auto report = [&](std::size_t jobs) {
    request.jobs = jobs;
    const PlanResult result = make_plan(*subject, request);
    return plan_to_json({.request = request,
                         .result = result,
                         .subject = "m",
                         .framework = "f",
                         .hardware_source = "h",
                         .batch_source = "b"});
  };
  const std::string one = report(1);
  EXPECT_EQ(one, report(2));
  EXPECT_EQ(one, report(5));
}

TEST(Planner, WhatItProposesPassesCheck) {
  std::size_t proposals = 0;
  for (const auto& [framework, model, world] :
       {std::tuple("megatron", "llama3.1_70B", 64), std::tuple("megatron", "qwen3_30B_A3B", 16),
        std::tuple("megatron", "deepseek_v2_lite", 8), std::tuple("torchtitan", "llama3.1_70B", 64),
        std::tuple("torchtitan", "deepseek_v3_16b", 16), std::tuple("maxtext", "llama3_70B", 64),
        std::tuple("maxtext", "mixtral_8x7B", 32)}) {
    Subject subject(framework, model);
    PlanRequest request = subject.request(world, 8 * world, 4096);
    request.top = 60;
    const PlanResult result = make_plan(*subject, request);
    EXPECT_GE(result.plans.size(), 5U) << framework << " " << model;
    std::vector<ProposedPlan> all = result.plans;
    all.insert(all.end(), result.front.begin(), result.front.end());
    for (const ProposedPlan& plan : all) {
      ++proposals;
      for (const Analysis& analysis : subject.check(plan.overrides, world)) {
        EXPECT_NE(analysis.verdict, Verdict::error)
            << framework << " " << model << " " << layout_text(plan.point.candidate) << ": "
            << (analysis.findings.empty() ? "" : analysis.findings.front().message);
        EXPECT_EQ(analysis.run.degrees.data, plan.run.degrees.data);
        EXPECT_EQ(analysis.run.batch.global, request.task.global_batch);
      }
    }
  }
  EXPECT_GE(proposals, 200U);
}

TEST(Planner, RankingFollowsTheObjective) {
  const Subject subject("megatron", "llama3.1_8B");
  PlanRequest request = subject.request(16, 256, 8192);
  request.worlds = {8, 16};
  request.objective = PlanObjective::throughput;
  const PlanResult fast = make_plan(*subject, request);
  request.objective = PlanObjective::memory;
  const PlanResult lean = make_plan(*subject, request);
  request.objective = PlanObjective::gpus;
  const PlanResult few = make_plan(*subject, request);
  request.objective = PlanObjective::latency;
  const PlanResult quick = make_plan(*subject, request);
  ASSERT_FALSE(fast.points.empty());
  EXPECT_GE(fast.points[0].tokens_per_second_per_gpu, quick.points[0].tokens_per_second_per_gpu);
  EXPECT_LE(quick.points[0].seconds, fast.points[0].seconds);
  EXPECT_LT(lean.points[0].memory.expected, fast.points[0].memory.expected);
  EXPECT_EQ(few.points[0].candidate.world_size, 8);
  EXPECT_EQ(quick.points[0].candidate.world_size, 16);
}

TEST(Planner, FrontHasNoDominatedPoint) {
  const Subject subject("megatron", "llama3.1_8B");
  const PlanResult result = make_plan(*subject, subject.request(8, 128, 8192));
  ASSERT_GE(result.front.size(), 2U);
  for (std::size_t i = 1; i < result.front.size(); ++i) {
    EXPECT_GT(result.front[i].point.memory.expected, result.front[i - 1].point.memory.expected);
    EXPECT_GT(result.front[i].point.tokens_per_second_per_gpu, result.front[i - 1].point.tokens_per_second_per_gpu);
  }
  const std::uint32_t fewest = result.points.front().warnings;
  for (const PlanPoint& point : result.points) {
    if (point.warnings > fewest) continue;
    EXPECT_LE(point.tokens_per_second_per_gpu, result.front.back().point.tokens_per_second_per_gpu);
    EXPECT_GE(point.memory.expected, result.front.front().point.memory.expected);
  }
}

TEST(Planner, PinsAndAllowedValuesHold) {
  const Subject subject("megatron", "llama3.1_70B");
  PlanRequest request = subject.request(64, 512, 8192);
  request.allowed[PlanAxis::tensor] = {4};
  request.allowed[PlanAxis::pipeline] = {2, 4};
  const PlanResult result = make_plan(*subject, request);
  ASSERT_FALSE(result.points.empty());
  for (const PlanPoint& point : result.points) {
    EXPECT_EQ(point.candidate.tensor, 4);
    EXPECT_THAT(point.candidate.pipeline, testing::AnyOf(2, 4));
  }
}

TEST(Planner, SensitivityStepsOneAxisAtATime) {
  const Subject subject("megatron", "llama3.1_8B");
  const PlanResult result = make_plan(*subject, subject.request(8, 128, 8192));
  ASSERT_FALSE(result.sensitivity.empty());
  const Candidate& winner = result.points.front().candidate;
  for (const Neighbour& step : result.sensitivity) {
    EXPECT_EQ(step.from, value_on(winner, step.axis));
    EXPECT_NE(step.from, step.to);
    if (step.rejected_by == nullptr && step.point.fit == Fit::fits && step.point.warnings == 0) {
      EXPECT_LE(step.point.tokens_per_second_per_gpu, result.points.front().tokens_per_second_per_gpu * 1.0000001);
    }
  }
}

TEST(Planner, SensitivityStepsToTheNextOfAFrameworksRecomputes) {
  // TorchTitan's, by what they keep: none, heavy (every second layer), light (single operations), full.
  const Subject subject("torchtitan", "llama3.1_8B");
  PlanRequest request = subject.request(8, 128, 8192);
  const PlanSubject known = known_of(subject, request);
  PointJudge judge(*subject, request);
  const Candidate winner{
      .world_size = 8, .sharding = StateSharding::weights, .recompute = RecomputeLevel::light, .recompute_layers = 0};
  std::vector<RecomputeLevel> next;
  for (const Neighbour& step : neighbours(winner, judge, known, request)) {
    if (step.axis == PlanAxis::recompute) next.push_back(static_cast<RecomputeLevel>(step.to));
  }
  EXPECT_THAT(next, testing::ElementsAre(RecomputeLevel::heavy, RecomputeLevel::full));
}

TEST(Planner, DegreesWhoseProductOverflowsFitNowhere) {
  constexpr std::int64_t largest = std::int64_t{1} << 30;
  const Subject subject("megatron", "mixtral_8x7B_v0.1");
  PlanRequest request = subject.request(128, 128, 4096);
  const PlanSubject known = known_of(subject, request);
  request.allowed = {{PlanAxis::pipeline, {16}}, {PlanAxis::expert, {largest}}, {PlanAxis::expert_tensor, {largest}}};
  EXPECT_THAT(plan_groups(known, request), IsEmpty());
  EXPECT_EQ(data_parallel({.world_size = 64, .tensor = largest, .pipeline = largest, .context = largest}), 0);
  EXPECT_EQ(accumulation_steps({.world_size = 8, .micro_batch = INT64_MAX}, {.global_batch = 64}), 0);
}

TEST(Planner, SaysWhyNothingWorks) {
  const Subject subject("megatron", "deepseek_v3");
  PlanRequest request = subject.request(7, 7, 4096);
  const PlanResult result = make_plan(*subject, request);
  EXPECT_TRUE(result.points.empty());
  ASSERT_TRUE(result.has_least_memory);
  EXPECT_EQ(result.least_memory.fit, Fit::does_not_fit);
  const std::string text = plan_to_text({.request = request,
                                         .result = result,
                                         .subject = "deepseek_v3",
                                         .framework = "Megatron-LM",
                                         .hardware_source = "",
                                         .batch_source = ""},
                                        {});
  EXPECT_THAT(text, HasSubstr("no plan for deepseek_v3 on 7 GPUs of MI300X"));
  EXPECT_THAT(text, HasSubstr("GiB"));
}

TEST(Planner, StopsWhenAsked) {
  const Subject subject("megatron", "llama3.1_70B");
  PlanRequest request = subject.request(64, 512, 8192);
  std::atomic<int> asked{0};
  PlanControl control;
  control.stop = [&] { return ++asked > 200; };
  const PlanResult result = make_plan(*subject, request, control);
  EXPECT_FALSE(result.complete);
  EXPECT_LT(result.judged, result.space);
  EXPECT_FALSE(result.points.empty());
}

TEST(Planner, SmallChangesComeFirstWhenAsked) {
  const Subject subject("megatron", "llama3.1_8B");
  PlanRequest request = subject.request(8, 128, 8192);
  request.min_change = true;
  const PlanResult result = make_plan(*subject, request);
  ASSERT_GE(result.plans.size(), 2U);
  const std::size_t first = subject->candidate_overrides(result.points.front().candidate, request.task, true).size();
  const std::size_t last = subject->candidate_overrides(result.points.back().candidate, request.task, true).size();
  EXPECT_LT(first, last);
}

TEST(DealStages, CountsEmbeddingAndLossAsALayer) {
  const auto stages = deal_stages(61, 1, 32);
  ASSERT_EQ(stages.size(), 32U);
  std::int64_t layers = 0;
  for (const DealtStage& stage : stages) layers += stage.layers;
  EXPECT_EQ(layers, 61);
  EXPECT_EQ(stages.front().layers, 1);
  EXPECT_EQ(stages.back().layers, 0);
  EXPECT_EQ(stages.back().mtp_layers, 1);
  EXPECT_TRUE(stages.back().loss);
  for (std::size_t i = 1; i + 1 < stages.size(); ++i) EXPECT_EQ(stages[i].layers, 2);
  EXPECT_THAT(deal_stages(2, 0, 8), IsEmpty());
}

TEST(DealStages, NoneStaysWithoutALayer) {
  // The prediction layers crowd the last stage, and four layers are not enough for the stages between.
  EXPECT_THAT(deal_stages(4, 4, 4), IsEmpty());
  EXPECT_THAT(deal_stages(61, INT64_MAX, 8), IsEmpty());
}

TEST(WrittenPlan, KeepsCommentsAndReplacesValues) {
  const std::string text =
      "work_group: a\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
      "    model: llama3.1_8B.yaml\n    overrides:\n"
      "      tensor_model_parallel_size: 1  # ours\n      mock_data: true\n";
  const WrittenPlan written =
      write_plan_into(text, "pre_trainer", false, {{"tensor_model_parallel_size", "8"}, {"micro_batch_size", "2"}});
  EXPECT_THAT(written.left_out, IsEmpty());
  EXPECT_THAT(written.text, HasSubstr("      tensor_model_parallel_size: 8  # ours\n"));
  EXPECT_THAT(written.text, HasSubstr("\n      micro_batch_size: 2"));
}

TEST(WrittenPlan, AddsBesideSectionsOnly) {
  const std::string text = "modules:\n  a:\n    overrides:\n      training:\n        mock_data: true\n";
  const WrittenPlan written =
      write_plan_into(text, "a", false, {{"parallelism.tensor_parallel_degree", "8"}, {"training.seq_len", "64"}});
  EXPECT_THAT(written.left_out, IsEmpty());
  EXPECT_THAT(written.text,
              HasSubstr("    overrides:\n      parallelism: {tensor_parallel_degree: 8}\n      training:\n"
                        "        mock_data: true\n        seq_len: 64"));
}

TEST(WrittenPlan, LeavesOutWhatWouldBreakTheText) {
  const std::string text = "modules:\n  a:\n    overrides: {x: 1,\n      y: 2}\n";
  const WrittenPlan written = write_plan_into(text, "a", false, {{"x", "3"}, {"z", "4"}});
  EXPECT_EQ(written.text, "modules:\n  a:\n    overrides: {x: 3,\n      y: 2}\n");
  EXPECT_THAT(written.left_out, testing::ElementsAre("z"));
}

TEST(WrittenPlan, SectionsAreMadeAndFilled) {
  const std::string text =
      "modules:\n  pre_trainer:\n    overrides:\n      training: {steps: 5}\n      metrics:\n        log_freq: 1\n"
      "      debug: 3\n";
  const WrittenPlan written = write_plan_into(text, "pre_trainer", false,
                                              {{"parallelism.tensor_parallel_degree", "8"},
                                               {"training.local_batch_size", "2"},
                                               {"parallelism.pipeline_parallel_degree", "2"}});
  EXPECT_THAT(written.left_out, IsEmpty());
  EXPECT_THAT(written.text, HasSubstr("parallelism: {tensor_parallel_degree: 8, pipeline_parallel_degree: 2}"));
  EXPECT_THAT(written.text, HasSubstr("training: {steps: 5, local_batch_size: 2}"));
}

}  // namespace
}  // namespace primus_plan
