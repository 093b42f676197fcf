// What a plan's report says agrees with the run that it speaks of.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "planner/rank.h"
#include "planner/search.h"
#include "planner/sensitivity.h"
#include "primus_plan/report/plan.h"
#include "report/overview_text.h"
#include "support/loaded_run.h"
#include "support/planned_model.h"

namespace primus_plan {
namespace {

using test::known_of;
using test::Subject;
using testing::HasSubstr;
using testing::Not;

PlanReport report_of(const PlanRequest& request, const PlanResult& result, bool is_file = false) {
  return {.request = request,
          .result = result,
          .subject = "model",
          .framework = "framework",
          .hardware_source = "",
          .batch_source = "",
          .is_file = is_file};
}

std::string text_of(const PlanRequest& request, const PlanResult& result, bool is_file = false) {
  return plan_to_text(report_of(request, result, is_file), {});
}

/// The largest of the relative differences between a proposed plan's step and the estimate of its own overrides.
double largest_difference(Subject& subject, const PlanRequest& request, const PlanResult& result) {
  std::vector<ProposedPlan> all = result.plans;
  all.insert(all.end(), result.front.begin(), result.front.end());
  double out = 0;
  for (const ProposedPlan& plan : all) {
    const Analysis analysis =
        subject.check(plan.overrides, plan.point.candidate.world_size, {.with_text = false, .with_workload = true})
            .at(0);
    const double seconds = estimate_run(*analysis.workload, &request.hardware).step.seconds;
    out = std::max(out, std::abs(plan.point.seconds / seconds - 1));
  }
  return out;
}

TEST(PlanReport, EveryStepIsThatOfItsOwnEstimate) {
  Subject subject("megatron", "llama3.1_8B");
  PlanRequest request = subject.request(16, 128, 8192);
  request.top = 40;
  for (const bool min_change : {false, true}) {
    for (const PlanObjective objective :
         {PlanObjective::throughput, PlanObjective::memory, PlanObjective::gpus, PlanObjective::latency}) {
      SCOPED_TRACE(std::string(to_string(objective)) + (min_change ? " min-change" : ""));
      request.min_change = min_change;
      request.objective = objective;
      const PlanResult result = make_plan(*subject, request);
      ASSERT_GE(result.plans.size(), 20U);
      EXPECT_TRUE(std::ranges::any_of(result.plans, [](const auto& p) { return p.point.candidate.pipeline > 1; }));
      EXPECT_LT(largest_difference(subject, request, result), 1e-6);
      for (std::size_t i = 1; i < result.plans.size(); ++i) {
        EXPECT_FALSE(is_better(result.plans[i].point, result.plans[i - 1].point, objective)) << i;
      }
    }
  }
}

TEST(PlanReport, ThePlanThatIsTheFileSaysSo) {
  const test::LoadedRun run(
      test::experiment_text("megatron", "llama3.1_8B",
                            "micro_batch_size: 2\nglobal_batch_size: 128\nuse_distributed_optimizer: true\n"
                            "pipeline_model_parallel_size: 2\nsequence_parallel: false\n"),
      8);
  const Environment environment;
  const auto prepared = prepare(run.module(), environment);
  const Batch& batch = run.analysis().run.batch;
  PlanRequest request;
  request.worlds = {8};
  request.task = {.global_batch = batch.global, .sequence_length = batch.sequence_length};
  request.hardware = run.hardware();
  request.min_change = true;
  const PlanResult result = make_plan(*prepared, request);
  ASSERT_FALSE(result.plans.empty());
  ASSERT_TRUE(result.plans.front().is_present);
  EXPECT_EQ(result.plans.front().changes, 0U);
  EXPECT_EQ(std::ranges::count_if(result.plans, [](const ProposedPlan& plan) { return plan.is_present; }), 1);
  EXPECT_DOUBLE_EQ(result.plans.front().point.seconds, result.present.point.seconds);
  const std::string text = text_of(request, result, true);
  EXPECT_THAT(text, HasSubstr("the first plan is just that"));
  EXPECT_THAT(text, HasSubstr(": the file as it is\n"));
  EXPECT_THAT(text, Not(HasSubstr("makes")));
}

TEST(PlanReport, AmongSeveralSizesTheFileStandsAtItsOwn) {
  const Subject subject("megatron", "llama3.1_8B");
  PlanRequest request = subject.request(32, 128, 8192);
  request.worlds = {8, 16, 32};
  request.objective = PlanObjective::gpus;
  request.present = assume_launch(16, 8);
  const PlanResult result = make_plan(*subject, request);
  EXPECT_EQ(result.present.run.launch.world_size, 16);
  const std::string text = text_of(request, result, true);
  EXPECT_THAT(text, HasSubstr("the file as it is, on 16 GPUs: "));
}

TEST(PlanReport, WhatNeedsLeastIsTheLeastOfAll) {
  for (const auto& [framework, model] :
       {std::pair("megatron", "llama3.1_70B"), std::pair("torchtitan", "llama3.1_70B"),
        std::pair("maxtext", "llama3_70B"), std::pair("megatron", "mixtral_8x7B_v0.1")}) {
    SCOPED_TRACE(std::string(framework) + " " + model);
    const Subject subject(framework, model);
    PlanRequest request = subject.request(4, 16, 4096);
    request.hardware.memory_bytes = 24 * gib;
    const PlanResult result = make_plan(*subject, request);
    ASSERT_TRUE(result.points.empty());
    ASSERT_TRUE(result.has_least_memory);
    const PlanSubject known = known_of(subject, request);
    const SearchOutcome all =
        search(*subject, known, request, plan_groups(known, request), {}, {.prune = false, .smallest_only = false});
    EXPECT_DOUBLE_EQ(result.least_memory.memory.expected, all.least_memory.memory.expected);
  }
}

TEST(PlanReport, CountsAddUp) {
  for (const auto& [framework, model] :
       {std::pair("megatron", "qwen3_30B_A3B"), std::pair("torchtitan", "deepseek_v3_16b"),
        std::pair("maxtext", "mixtral_8x7B")}) {
    SCOPED_TRACE(std::string(framework) + " " + model);
    const Subject subject(framework, model);
    const PlanRequest request = subject.request(8, 64, 4096);
    const PlanResult result = make_plan(*subject, request);
    std::size_t refused = 0;
    for (const auto& [rule, count] : result.rejections.by_rule) refused += count;
    EXPECT_GT(refused, 0U);
    EXPECT_EQ(result.judged, refused + result.rejections.too_large + result.points.size());
    EXPECT_EQ(result.space, result.judged + result.rejections.unjudged);
    const auto search = nlohmann::json::parse(plan_to_json(report_of(request, result))).at("search");
    const std::size_t judged = search.at("judged");
    EXPECT_EQ(search.at("candidates"), judged + search.at("not_judged").get<std::size_t>());
    std::size_t by_rule = 0;
    for (const auto& count : search.at("rejected_by_rule")) by_rule += count.get<std::size_t>();
    EXPECT_EQ(judged, by_rule + search.at("too_large").get<std::size_t>() + search.at("fitting").get<std::size_t>());
  }
}

TEST(PlanReport, MaxTextsExpertsRunOutsideTheInterpreter) {
  for (const char* model : {"mixtral_8x7B", "deepseek_v2_16B", "qwen3_30B_A3B", "grok1"}) {
    SCOPED_TRACE(model);
    Subject subject("maxtext", model);
    const PlanRequest request = subject.request(64, 512, 4096);
    const PlanResult result = make_plan(*subject, request);
    ASSERT_FALSE(result.plans.empty());
    for (const ProposedPlan& plan : result.plans) {
      EXPECT_THAT(plan.differences, testing::Contains(std::pair<std::string, std::string>("megablox", "false")));
      for (const Analysis& analysis : subject.check(plan.overrides, 64)) {
        for (const Finding& finding : analysis.findings) EXPECT_NE(finding.rule->id, "MX410");
      }
    }
  }
}

TEST(PlanReport, StepsChangeAKeyOnAnAxisThatIsThere) {
  for (const auto& [framework, model] :
       {std::pair("megatron", "deepseek_v2_lite"), std::pair("torchtitan", "deepseek_v3_16b"),
        std::pair("maxtext", "deepseek_v2_16B")}) {
    SCOPED_TRACE(framework);
    const Subject subject(framework, model);
    PlanRequest request = subject.request(8, 64, 4096);
    const PlanSubject known = known_of(subject, request);
    PointJudge judge(*subject, request);
    // With one rank for all experts, the cut of experts is no key of TorchTitan's, and no axis of MaxText's.
    const Candidate winner{.world_size = 8, .tensor = 2, .expert_tensor = 2, .sharding = known.knobs.shardings.front()};
    const std::vector<Neighbour> steps = neighbours(winner, judge, known, request);
    EXPECT_GT(steps.size(), 5U);
    EXPECT_EQ(std::ranges::any_of(steps, [](const auto& step) { return step.axis == PlanAxis::expert_tensor; }),
              std::string(framework) == "megatron");
  }
}

TEST(PlanReport, MaxTextAlwaysRecomputes) {
  const Subject subject("maxtext", "llama3_70B");
  PlanRequest request = subject.request(64, 512, 4096);
  request.allowed[PlanAxis::recompute] = {static_cast<std::int64_t>(RecomputeLevel::none)};
  const PlanResult result = make_plan(*subject, request);
  ASSERT_FALSE(result.plans.empty());
  const auto& step = result.plans.front().estimate.step;
  EXPECT_GT(step.parts[static_cast<std::size_t>(TimePart::recompute)], 0);
  const std::string text = text_of(request, result);
  EXPECT_THAT(text, Not(HasSubstr("no recompute")));
  EXPECT_THAT(text, HasSubstr("least recompute"));
  EXPECT_THAT(plan_to_json(report_of(request, result)), HasSubstr("\"recompute\": \"none\""));
}

TEST(PlanReport, DenseLayersStayOutsideMaxTextsPipeline) {
  // 27 layers, the first of which is dense and on every stage: 26 are dealt.
  Subject subject("maxtext", "deepseek_v2_16B");
  PlanRequest request = subject.request(8, 1024, 4096);
  request.allowed[PlanAxis::pipeline] = {2};
  request.top = 40;
  const PlanResult result = make_plan(*subject, request);
  ASSERT_GE(result.plans.size(), 5U);
  EXPECT_LT(largest_difference(subject, request, result), 1e-6);
  for (const ProposedPlan& plan : result.plans) {
    const Analysis analysis = subject.check(plan.overrides, 8).at(0);
    EXPECT_EQ(analysis.errors, 0U);
    EXPECT_EQ(analysis.run.degrees.pipeline, 2);
    EXPECT_LE(analysis.run.batch.pipeline_micro_batches, 8)
        << "four rounds of the stages at once, the rest accumulated";
    EXPECT_EQ(analysis.run.batch.global, 1024);
  }
}

TEST(PlanReport, APipelinesMicroBatchIsToldAsTheEstimateHasIt) {
  const Batch cut{.micro = 32, .global = 1024, .accumulation_steps = 8, .pipeline_micro_batches = 2};
  EXPECT_THAT(batch_to_text(cut, 4), HasSubstr("micro-batch 16 x 2 in the pipeline x DP 4 x 8 accumulation steps"));
  const Batch whole{.micro = 32, .global = 1024, .accumulation_steps = 8};
  EXPECT_THAT(batch_to_text(whole, 4), HasSubstr("micro-batch 32 x DP 4 x 8 accumulation steps"));
}

}  // namespace
}  // namespace primus_plan
