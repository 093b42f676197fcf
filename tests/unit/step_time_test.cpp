#include "primus_plan/estimate/step_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "estimate/step_model.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/estimate/accuracy.h"
#include "primus_plan/estimate/calibration.h"

namespace primus_plan {
namespace {

struct Timed {
  MeasuredRow row;
  Workload workload;
  StepEstimate estimate;
  double error() const { return estimate.seconds / row.step_seconds - 1; }
};

const std::vector<Timed>& timed_rows() {
  static const std::vector<Timed> rows = [] {
    std::vector<Timed> out;
    for (const MeasuredRow& row : read_measured(published_measurements())) {
      const Workload workload = workload_of_row(row);
      if (const auto estimate = step_of_row(row, workload)) out.push_back({row, workload, *estimate});
    }
    return out;
  }();
  return rows;
}

ErrorStatistics statistics(bool experts) {
  std::vector<double> errors;
  for (const Timed& t : timed_rows()) {
    if ((t.row.experts > 0) == experts) errors.push_back(t.error());
  }
  return error_statistics(errors);
}

Hardware part(const char* spec) { return find_hardware(spec, MemoryFiles()); }

/// A 70B model on 64 GPUs.
Workload large_model(std::int64_t tensor, std::int64_t pipeline) {
  MeasuredRow row;
  row.framework = "Megatron-LM";
  row.precision = "BF16";
  row.recompute = "none";
  row.state = "dist-opt";
  row.gpu = "MI300X";
  row.gpus = 64;
  row.layers = 80, row.hidden = 8192, row.ffn = 28672, row.heads = 64, row.kv_heads = 8, row.head_width = 128;
  row.vocabulary = 128256;
  row.gated = true;
  row.tensor = tensor, row.pipeline = pipeline, row.context = 1;
  row.data = 64 / (tensor * pipeline);
  row.micro_batch = 1, row.global_batch = 128, row.sequence_length = 8192;
  row.sequence_parallel = row.states_sequence_parallel = tensor > 1;
  row.complete = true;
  return workload_of_row(row);
}

TEST(StepTime, PublishedMeasurements) {
  ASSERT_GT(timed_rows().size(), 350U);
  const ErrorStatistics dense = statistics(false);
  const ErrorStatistics experts = statistics(true);
  EXPECT_LT(dense.median, 0.05) << dense.count;
  EXPECT_LT(dense.ninth_tenth, 0.15);
  EXPECT_LT(std::abs(dense.bias), 0.02);
  EXPECT_LT(experts.median, 0.12) << experts.count;
  EXPECT_LT(std::abs(experts.bias), 0.05);
}

TEST(StepTime, RanksTheConfigurationsOfAModel) {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> models;
  for (const Timed& t : timed_rows()) {
    auto& [estimated, measured] = models[t.row.model];
    const double tokens = static_cast<double>(t.workload.run.batch.tokens_per_step()) / static_cast<double>(t.row.gpus);
    estimated.push_back(t.estimate.tokens_per_second_per_gpu);
    measured.push_back(tokens / t.row.step_seconds);
  }
  std::vector<double> correlations;
  for (const auto& [model, values] : models) {
    if (values.first.size() >= 5) correlations.push_back(rank_correlation(values.first, values.second));
  }
  ASSERT_GE(correlations.size(), 15U);
  std::sort(correlations.begin(), correlations.end());
  EXPECT_GT(correlations[correlations.size() / 2], 0.93);
  // Some rows of one model differ only in the release of the software: no estimate can rank those.
  const auto good = std::count_if(correlations.begin(), correlations.end(), [](double c) { return c >= 0.9; });
  EXPECT_GE(static_cast<double>(good), 0.7 * static_cast<double>(correlations.size()));
}

TEST(StepTime, IntervalsHoldMostRows) {
  std::size_t inside = 0;
  for (const Timed& t : timed_rows()) {
    if (t.row.step_seconds >= t.estimate.low_seconds && t.row.step_seconds <= t.estimate.high_seconds) ++inside;
  }
  EXPECT_GT(static_cast<double>(inside), 0.75 * static_cast<double>(timed_rows().size()));
}

TEST(StepTime, PartsAddUpAndNothingIsNegative) {
  for (const Timed& t : timed_rows()) {
    double sum = 0;
    for (const double seconds : t.estimate.parts) {
      EXPECT_TRUE(std::isfinite(seconds) && seconds >= 0) << t.row.id;
      sum += seconds;
    }
    EXPECT_NEAR(sum, t.estimate.seconds, 1e-9 * sum) << t.row.id;
    EXPECT_GT(t.estimate.mfu, 0.01) << t.row.id;
    EXPECT_LT(t.estimate.mfu, 1) << t.row.id;
  }
}

TEST(StepTime, SimulationAgreesWithTheClosedForm) {
  std::vector<double> differences;
  for (const Timed& t : timed_rows()) {
    if (t.row.pipeline < 2) continue;
    const double simulated = estimate_step(t.workload, *hardware_of_row(t.row), {.simulate = true}).seconds;
    differences.push_back(t.estimate.seconds / simulated - 1);
  }
  const ErrorStatistics difference = error_statistics(differences);
  EXPECT_GT(difference.count, 80U);
  EXPECT_LT(difference.median, 0.02);
  EXPECT_LT(difference.ninth_tenth, 0.06);
}

TEST(StepTime, WorseMachinesAreSlower) {
  for (const auto& [tensor, pipeline] : {std::pair{8, 1}, std::pair{2, 4}, std::pair{1, 8}}) {
    const Workload w = large_model(tensor, pipeline);
    const double base = estimate_step(w, part("MI300X")).seconds;
    for (const char* worse : {"MI300X:nic_gbs=5", "MI300X:link_gbs=100", "MI300X:hbm_gbs=1000",
                              "MI300X:gemm_bf16_tflops=300", "MI300X:attention_tflops=100"}) {
      EXPECT_GE(estimate_step(w, part(worse)).seconds, base) << worse;
    }
  }
}

TEST(StepTime, TheMeshMakesSmallTensorGroupsExpensive) {
  const Workload w = large_model(2, 4);
  const auto exchange = [&](const char* spec) {
    return estimate_step(w, part(spec)).parts[static_cast<std::size_t>(TimePart::tensor_exchange)];
  };
  EXPECT_GT(exchange("MI300X"), 5 * exchange("MI300X:fabric=switched"));
}

TEST(StepTime, RecomputeCostsTime) {
  Workload w = large_model(8, 1);
  const StepEstimate none = estimate_step(w, part("MI300X"));
  w.recompute.granularity = RecomputeGranularity::full;
  w.recompute.method = RecomputeMethod::block;
  w.recompute.layers = 40;
  const StepEstimate half = estimate_step(w, part("MI300X"));
  w.recompute.method = RecomputeMethod::uniform;
  w.recompute.layers = 1;
  const StepEstimate full = estimate_step(w, part("MI300X"));
  EXPECT_GT(half.seconds, 1.05 * none.seconds);
  EXPECT_GT(full.seconds, 1.05 * half.seconds);
  EXPECT_LT(full.seconds, 1.5 * none.seconds);
  EXPECT_DOUBLE_EQ(full.flops_per_second_per_gpu * full.seconds, none.flops_per_second_per_gpu * none.seconds);
}

TEST(StepTime, RecomputeOfNoLayersCostsNone) {
  Workload w = large_model(8, 1);
  const double none = estimate_step(w, part("MI300X")).seconds;
  w.recompute.granularity = RecomputeGranularity::full;
  w.recompute.method = RecomputeMethod::block;
  for (const std::int64_t layers : {0, -1}) {
    w.recompute.layers = layers;
    EXPECT_DOUBLE_EQ(estimate_step(w, part("MI300X")).seconds, none) << layers;
  }
}

TEST(StepTime, MoreMicroBatchesShrinkTheBubble) {
  Workload w = large_model(1, 8);
  double last = 1;
  for (const std::int64_t global : {64, 128, 512, 2048}) {
    w.run.batch.global = global;
    w.run.batch.accumulation_steps = global / 8;
    const StepEstimate e = estimate_step(w, part("MI300X"));
    EXPECT_LT(e.bubble_share, last);
    last = e.bubble_share;
  }
}

TEST(StepTime, UnevenStagesPayForTheirEnds) {
  Workload w = large_model(1, 8);
  const double even = estimate_step(w, part("MI300X")).seconds;
  // A layer from the last stage, which has the logits, to one that has not.
  auto& stages = w.run.stages;
  stages[7][0].layers -= 1;
  stages[7][0].first_layer += 1;
  stages[6][0].layers += 1;
  EXPECT_LT(estimate_step(w, part("MI300X")).seconds, even);
  stages[7][0].first_layer -= 3;
  stages[7][0].layers += 3;
  stages[6][0].layers -= 3;
  EXPECT_GT(estimate_step(w, part("MI300X")).seconds, even);
}

TEST(StepTime, BottleneckInASentence) {
  Workload w = large_model(1, 8);
  w.run.batch.global = 64;
  w.run.batch.accumulation_steps = 8;
  const StepEstimate e = estimate_step(w, part("MI300X"));
  EXPECT_EQ(e.bottleneck, TimePart::pipeline);
  EXPECT_THAT(bottleneck_sentence(e, w), ::testing::HasSubstr("8 pipeline stages share 8 micro-batches"));
}

TEST(StepTime, HostileBatchesTakeLongAndNoLess) {
  Workload w = large_model(8, 1);
  w.run.degrees.data = 1;
  w.run.batch.global = INT64_MAX;
  w.run.batch.accumulation_steps = INT64_MAX;
  const StepEstimate e = estimate_step(w, part("MI300X"));
  EXPECT_GT(e.seconds, 1e15);
  EXPECT_TRUE(std::isfinite(e.seconds));
  EXPECT_EQ(micro_batches(w).between_flushes, INT64_MAX);
}

TEST(StepTime, AVocabularyThatIsKnownPaddedAloneIsNamed) {
  Workload w = large_model(8, 1);
  w.model.vocabulary = 0;
  StepEstimate e = estimate_step(w, part("MI300X"));
  e.bottleneck = TimePart::logits;
  EXPECT_THAT(bottleneck_sentence(e, w), testing::HasSubstr("a vocabulary of 129,024"));
}

TEST(StepTime, ExpertsOfNoWidthTakeNoTimeAndSpoilNone) {
  Workload w = large_model(8, 1);
  w.model.experts = 8;
  w.model.experts_per_token = 2;
  w.model.expert_ffn = 0;
  for (LayerKind& kind : w.model.kinds) kind.feed_forward = FeedForward::experts;
  const StepEstimate e = estimate_step(w, part("MI300X"));
  EXPECT_EQ(e.parts[static_cast<std::size_t>(TimePart::experts)], 0);
  EXPECT_GT(e.parts[static_cast<std::size_t>(TimePart::attention)], 0);
}

double seconds_in(const Precision& precision, const char* name) {
  Workload w = large_model(8, 1);
  w.precision.compute = precision.compute;
  w.precision.recipe = precision.recipe;
  const double seconds = estimate_step(w, part(name)).seconds;
  EXPECT_EQ(seconds > 0, reason_without_step(w, part(name)).empty()) << name;
  return seconds;
}

TEST(StepTime, Fp32IsAsMuchSlowerAsItsPeakIsLower) {
  const double bf16 = seconds_in({.compute = NumberFormat::bf16}, "H100");
  const double fp32 = seconds_in({.compute = NumberFormat::fp32}, "H100");
  EXPECT_GT(fp32, 8 * bf16);
  EXPECT_LT(fp32, 989.4 / 67 * bf16);
  EXPECT_LT(seconds_in({.compute = NumberFormat::fp32}, "MI300X"), fp32);
}

TEST(StepTime, ThereIsNoneInAFormatThatThePartLacks) {
  EXPECT_EQ(seconds_in({.compute = NumberFormat::fp8}, "A100"), 0);
  EXPECT_EQ(seconds_in({.compute = NumberFormat::fp4, .recipe = ScalingRecipe::microscaling}, "H100"), 0);
  EXPECT_EQ(seconds_in({.compute = NumberFormat::fp8, .recipe = ScalingRecipe::microscaling}, "MI300X"), 0);
  EXPECT_GT(seconds_in({.compute = NumberFormat::fp8, .recipe = ScalingRecipe::microscaling}, "MI355X"), 0);
  EXPECT_EQ(seconds_in({.compute = NumberFormat::fp32}, "TPU-v5p"), 0);
  Workload w = large_model(8, 1);
  w.precision.compute = NumberFormat::fp4;
  EXPECT_EQ(reason_without_step(w, part("H100")), "H100 does not compute in fp4");
  EXPECT_TRUE(pipeline_costs(w, part("H100")).ranks.empty());
}

TEST(StepTime, WithoutAPipelineThereIsNoBubbleAtAll) {
  for (const std::int64_t micro : {1, 3, 7}) {
    Workload w = large_model(8, 1);
    w.run.batch.micro = micro;
    const StepEstimate e = estimate_step(w, part("MI300X"), {.simulate = true});
    EXPECT_EQ(e.bubble_share, 0) << micro;
    EXPECT_EQ(e.parts[static_cast<std::size_t>(TimePart::pipeline)], 0) << micro;
  }
}

TEST(StepTime, RemarksOnWhatIsNotTimed) {
  Workload w = large_model(8, 1);
  EXPECT_TRUE(step_remarks(w).empty());
  w.sharding.offloaded_optimizer = 0.5;
  ASSERT_EQ(step_remarks(w).size(), 1U);
  EXPECT_THAT(step_remarks(w).front(), testing::HasSubstr("host memory"));
  w.precision.compute = NumberFormat::fp32;
  EXPECT_EQ(step_remarks(w).size(), 2U);
}

TEST(StepTime, NothingWithoutTheFacts) {
  EXPECT_EQ(estimate_step(Workload{}, part("MI300X")).seconds, 0);
  EXPECT_TRUE(pipeline_costs(Workload{}, part("MI300X")).ranks.empty());
  EXPECT_EQ(bottleneck_sentence(StepEstimate{}, Workload{}), "");
  // Layers that could not be placed are shared out evenly.
  Workload w = large_model(1, 8);
  const double placed = estimate_step(w, part("MI300X")).seconds;
  w.run.stages.clear();
  EXPECT_NEAR(estimate_step(w, part("MI300X")).seconds, placed, 0.02 * placed);
}

TEST(Calibration, FindsTheScale) {
  const Workload w = large_model(8, 1);
  const Hardware hardware = part("MI300X");
  const double fast = estimate_step(w, hardware, {.compute_scale = 1.2}).tokens_per_second_per_gpu;
  const auto scale = fit_compute_scale(w, hardware, fast);
  ASSERT_TRUE(scale);
  EXPECT_NEAR(*scale, 1.2, 1e-3);
  EXPECT_FALSE(fit_compute_scale(w, hardware, 1e9));
  EXPECT_FALSE(fit_compute_scale(w, hardware, 0));
  EXPECT_FALSE(fit_compute_scale(w, hardware, std::nan("")));
  EXPECT_FALSE(fit_compute_scale(Workload{}, hardware, 1000));
  EXPECT_EQ(fit_memory_extra(10, 12), -2);
}

TEST(Accuracy, Statistics) {
  const std::vector<double> errors{-0.1, 0.3, 0.2, -0.4, 0};
  const ErrorStatistics s = error_statistics(errors);
  EXPECT_EQ(s.count, 5U);
  EXPECT_DOUBLE_EQ(s.median, 0.2);
  EXPECT_DOUBLE_EQ(s.worst, 0.4);
  EXPECT_DOUBLE_EQ(s.bias, 0);
  EXPECT_EQ(error_statistics({}).count, 0U);
  const std::vector<double> rising{1, 2, 3, 4};
  const std::vector<double> falling{9, 4, 3, 1};
  const std::vector<double> ties{1, 1, 2, 2};
  EXPECT_DOUBLE_EQ(rank_correlation(rising, rising), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(rising, falling), -1);
  EXPECT_NEAR(rank_correlation(rising, ties), 2 / std::sqrt(5.0), 1e-12);
  EXPECT_EQ(rank_correlation(rising, std::vector<double>(4, 1.0)), 0);
}

}  // namespace
}  // namespace primus_plan
