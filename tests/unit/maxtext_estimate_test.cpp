// What MaxText's pipelines, optimizers and unresolved degrees become in the estimates.
#include <gtest/gtest.h>

#include "primus_plan/estimate/estimate.h"
#include "primus_plan/estimate/timeline.h"
#include "support/loaded_run.h"

namespace primus_plan {
namespace {

const Workload& workload_of(const test::LoadedRun& run) { return *run.analysis().workload; }

Estimate estimate_of(const test::LoadedRun& run) { return estimate_run(workload_of(run), &run.hardware()); }

StageMemory fullest(const test::LoadedRun& run) {
  const MemoryEstimate memory = estimate_of(run).memory;
  return memory.stages.at(memory.fullest);
}

TEST(MaxTextNorms, OfLlama4HaveNoWeights) {
  const auto norms = [](const std::string& model) {
    return workload_of(test::LoadedRun("model_name: " + model + "\nper_device_batch_size: 1\n", 64)).model.qk_norm;
  };
  EXPECT_FALSE(norms("llama4-17b-128e"));
  EXPECT_FALSE(norms("llama4-17b-16e"));
  EXPECT_TRUE(norms("qwen3-8b"));
}

/// Llama 3 8B in 4 stages, 32 samples of which go through at once.
std::string pipelined(const std::string& more) {
  return "model_name: llama3-8b\nici_pipeline_parallelism: 4\nici_fsdp_parallelism: 2\nper_device_batch_size: 4\n" +
         more;
}

TEST(MaxTextPipeline, RepeatsKeepEveryMicroBatchInFlight) {
  for (const std::string micro : {"4", "8", "16"}) {
    const test::LoadedRun repeats(pipelined("num_pipeline_microbatches: " + micro + "\n"), 8);
    const test::LoadedRun once(
        pipelined("num_pipeline_repeats: 1\nnum_layers_per_pipeline_stage: 8\nnum_pipeline_microbatches: " + micro +
                  "\n"),
        8);
    ASSERT_EQ(repeats.analysis().errors + once.analysis().errors, 0U);
    EXPECT_EQ(workload_of(repeats).schedule, ScheduleKind::circular);
    EXPECT_EQ(workload_of(once).schedule, ScheduleKind::gpipe);
    EXPECT_EQ(fullest(repeats).in_flight, std::stod(micro));
    EXPECT_EQ(fullest(once).in_flight, std::stod(micro));
  }
}

TEST(MaxTextPipeline, TheSameSamplesTakeTheSameMemoryHoweverTheyAreCut) {
  const auto activations = [](const std::string& micro) {
    return fullest(
        test::LoadedRun(pipelined("num_pipeline_microbatches: " + micro + "\n"), 8))[MemoryPart::activations];
  };
  // The iterations that fill and drain the pipeline keep as much as the others: fewer where the parts are smaller.
  EXPECT_NEAR(activations("4") / activations("16"), (4.0 * 8 + 3) / 4 / ((16.0 * 8 + 3) / 16), 0.02);
}

TEST(MaxTextPipeline, IsDrawnForwardThenBackwardWithMaxTextsOwnBubble) {
  const test::LoadedRun run(pipelined("num_pipeline_microbatches: 8\n"), 8);
  const RunTimeline line = run_timeline(workload_of(run), find_hardware("MI300X:fabric=switched", MemoryFiles()));
  EXPECT_EQ(line.played, ScheduleKind::circular);
  bool backward = false;
  for (const PipelineEvent& event : line.pipeline.events) {
    if (event.rank != 0) break;
    backward = backward || event.kind != PassKind::forward;
    EXPECT_EQ(event.kind != PassKind::forward, backward);
  }
  // Ends of the model make the outer chunks longer, so it is near the bubble of equal ones.
  EXPECT_NEAR(line.pipeline.bubble_share, 3.0 / (8 * 8 + 3), 0.02);
}

TEST(MaxTextOptimizer, SgdKeepsNothing) {
  const std::string keys = "model_name: llama3-8b\nper_device_batch_size: 1\nopt_type: ";
  EXPECT_GT(fullest(test::LoadedRun(keys + "adamw\n", 8))[MemoryPart::optimizer], 0);
  EXPECT_EQ(fullest(test::LoadedRun(keys + "sgd\n", 8))[MemoryPart::optimizer], 0);
}

TEST(MaxTextGradients, TakeThePlaceOfActivationsUnlessTheyAreCarried) {
  const auto stage = [](const std::string& keys) {
    return fullest(test::LoadedRun("model_name: llama3-8b\n" + keys, 1));
  };
  constexpr double all = 2 * 8'030'261'248.0;
  const StageMemory large = stage("per_device_batch_size: 16\nmax_target_length: 8192\n");
  EXPECT_GT(large[MemoryPart::activations], all);
  EXPECT_EQ(large[MemoryPart::gradients], 0);
  // Before the update every gradient is there, whatever is gone.
  const StageMemory small = stage("per_device_batch_size: 1\nmax_target_length: 128\n");
  const double left = small[MemoryPart::activations] + small[MemoryPart::logits] + small[MemoryPart::transients];
  EXPECT_NEAR(small[MemoryPart::gradients] + left, all, 1e-3 * all);
  const StageMemory carried =
      stage("per_device_batch_size: 16\nmax_target_length: 8192\ngradient_accumulation_steps: 2\n");
  EXPECT_NEAR(carried[MemoryPart::gradients], all, 1e-3 * all);
}

TEST(UnresolvedDegrees, LeaveMemoryUnknownInEveryBackend) {
  const std::string head = "model: {name: llama3, flavor: 8B}\n";
  const std::pair<std::string, std::int64_t> cases[] = {
      {"model_name: llama3-8b\nici_tensor_parallelism: 3\n", 8},
      {head + "parallelism: {tensor_parallel_degree: 3}\n", 8},
      {"tensor_model_parallel_size: 8\nmicro_batch_size: 1\nglobal_batch_size: 8\n", 12}};
  for (const auto& [yaml, world] : cases) {
    const test::LoadedRun run(yaml, world);
    EXPECT_GT(run.analysis().errors, 0U) << yaml;
    const Estimate estimate = estimate_of(run);
    EXPECT_TRUE(estimate.memory.stages.empty()) << yaml;
    EXPECT_FALSE(estimate.fit) << yaml;
    EXPECT_GT(estimate.parameters.total(), 1e8) << yaml;
    const auto& unknown = workload_of(run).unknown;
    EXPECT_NE(std::ranges::find(unknown, "the parallel degrees"), unknown.end()) << yaml;
  }
}

}  // namespace
}  // namespace primus_plan
