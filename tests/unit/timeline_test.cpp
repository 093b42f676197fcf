#include "primus_plan/estimate/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "estimate/pipeline_orders.h"
#include "primus_plan/config/files.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/estimate/measured.h"

namespace primus_plan {
namespace {

const Hardware& part() {
  static const Hardware hardware = find_hardware("MI300X", MemoryFiles());
  return hardware;
}

/// A dense model on p stages of v chunks, `layers` layers in each chunk and no ends, so that all chunks are equal.
Workload equal_chunks(ScheduleKind schedule, std::int64_t p, std::int64_t v, std::int64_t micro_batches) {
  MeasuredRow row;
  row.framework = "Megatron-LM";
  row.precision = "BF16";
  row.recompute = "none";
  row.state = "dist-opt";
  row.gpu = "MI300X";
  row.gpus = p;
  row.layers = 2 * p * v, row.hidden = 4096, row.ffn = 14336, row.heads = 32, row.kv_heads = 8, row.head_width = 128;
  row.vocabulary = 128256;
  row.gated = true;
  row.tensor = 1, row.pipeline = p, row.context = 1, row.data = 1;
  row.micro_batch = 1, row.global_batch = micro_batches, row.sequence_length = 4096;
  row.complete = true;
  Workload w = workload_of_row(row);
  w.schedule = schedule;
  w.run.degrees.virtual_pipeline = v;
  w.run.stages.assign(static_cast<std::size_t>(p), {});
  for (auto& stage : w.run.stages) stage.assign(static_cast<std::size_t>(v), {.first_layer = 0, .layers = 2});
  return w;
}

constexpr ScheduleKind all_kinds[] = {
    ScheduleKind::gpipe,         ScheduleKind::circular,      ScheduleKind::one_f_one_b,   ScheduleKind::interleaved,
    ScheduleKind::zero_bubble_1, ScheduleKind::zero_bubble_2, ScheduleKind::v_zero_bubble, ScheduleKind::v_half,
    ScheduleKind::v_min,         ScheduleKind::dual_pipe_v};

std::int64_t chunks_for(ScheduleKind kind) { return goes_with_chunks(kind, 2) ? 2 : 1; }

double peak(const std::vector<StageMemoryPoint>& line) {
  double most = 0;
  for (const StageMemoryPoint& point : line) most = std::max(most, point.bytes);
  return most;
}

TEST(RunTimeline, BubbleOfOneForwardOneBackward) {
  // (p - 1) / (m + p - 1), but for the transfers between stages, which links of a switch make short.
  const Workload w = equal_chunks(ScheduleKind::one_f_one_b, 4, 1, 8);
  const RunTimeline line = run_timeline(w, find_hardware("MI300X:fabric=switched", MemoryFiles()));
  EXPECT_NEAR(line.pipeline.bubble_share, 3.0 / 11, 0.005);
  EXPECT_EQ(line.played, ScheduleKind::one_f_one_b);
  EXPECT_EQ(line.micro_batches, 8);
  EXPECT_EQ(line.shown, 8);
  EXPECT_EQ(line.pipeline.events.size(), 4U * 8U * 2U);
}

TEST(RunTimeline, PeaksAreTheMemoryEstimates) {
  for (const ScheduleKind kind : all_kinds) {
    for (const std::int64_t m : {2, 4, 16}) {
      const Workload w = equal_chunks(kind, 4, chunks_for(kind), m);
      const RunTimeline line = run_timeline(w, part());
      const MemoryEstimate memory = estimate_memory(w, memory_device(&part()));
      ASSERT_EQ(line.memory.size(), 4U);
      for (std::size_t rank = 0; rank < 4; ++rank) {
        EXPECT_NEAR(peak(line.memory[rank]) / memory.stages[rank].device(), 1, 1e-12);
        EXPECT_EQ(line.memory[rank].front().seconds, 0);
        EXPECT_NEAR(line.memory[rank].back().bytes / line.base_bytes[rank], 1, 1e-9) << "all is given back";
      }
    }
  }
}

/// What one micro-batch adds to a stage by the estimate: nothing here scales.
double first_step(const std::vector<StageMemoryPoint>& line, double base) {
  for (const StageMemoryPoint& point : line) {
    if (point.bytes > base) return point.bytes - base;
  }
  return 0;
}

TEST(RunTimeline, TheEstimateCountsWhatThePlayedScheduleHolds) {
  // Where the estimate's number of micro-batches in flight were another one than the simulation's, the line would be
  // stretched and its first step would be no whole micro-batch.
  for (const ScheduleKind kind :
       {ScheduleKind::gpipe, ScheduleKind::circular, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
        ScheduleKind::zero_bubble_1, ScheduleKind::zero_bubble_2}) {
    for (const std::int64_t m : {4, 16}) {
      const std::int64_t v = chunks_for(kind);
      const Workload w = equal_chunks(kind, 4, v, m);
      Workload alone = w;
      alone.schedule = ScheduleKind::none;  // one micro-batch in flight
      const MemoryEstimate memory = estimate_memory(alone, memory_device(&part()));
      const RunTimeline line = run_timeline(w, part());
      for (std::size_t rank = 0; rank < 4; ++rank) {
        const double chunk = memory.stages[rank][MemoryPart::activations] / static_cast<double>(v);
        EXPECT_NEAR(first_step(line.memory[rank], line.base_bytes[rank]) / chunk, 1, 1e-6)
            << static_cast<int>(kind) << " m " << m << " rank " << rank;
      }
    }
  }
}

/// No pass before its input, none while another runs, each once.
void check_events(const RunTimeline& line, std::int32_t p, std::int32_t v) {
  using Pass = std::tuple<std::int32_t, std::int32_t, bool>;  // stage, micro-batch, forward
  std::map<Pass, PipelineEvent> done;
  const bool folded = is_v_shaped(line.played);
  for (std::size_t i = 0; i < line.pipeline.events.size(); ++i) {
    const PipelineEvent& event = line.pipeline.events[i];
    EXPECT_LT(event.start, event.end);
    if (i > 0 && line.pipeline.events[i - 1].rank == event.rank) {
      EXPECT_LE(line.pipeline.events[i - 1].end, event.start + 1e-12);
    }
    if (event.kind == PassKind::backward_weight) continue;
    const std::int32_t stage = folded && event.chunk == 1 ? 2 * p - 1 - event.rank : event.chunk * p + event.rank;
    EXPECT_TRUE(done.emplace(Pass{stage, event.micro_batch, event.kind == PassKind::forward}, event).second);
  }
  EXPECT_EQ(done.size(), static_cast<std::size_t>(2 * p * v) * static_cast<std::size_t>(line.shown));
  for (const auto& [pass, event] : done) {
    const auto& [stage, micro_batch, forward] = pass;
    if (forward && stage == 0) continue;
    const bool turns = !forward && stage == p * v - 1;
    const PipelineEvent& before =
        turns ? done.at({stage, micro_batch, true}) : done.at({forward ? stage - 1 : stage + 1, micro_batch, forward});
    EXPECT_GE(event.start + 1e-12, before.end);
  }
}

TEST(RunTimeline, EventsKeepTheRulesOfEverySchedule) {
  for (const ScheduleKind kind : all_kinds) {
    for (const std::int64_t m : {1, 3, 4, 16}) {
      const std::int64_t v = chunks_for(kind);
      const RunTimeline line = run_timeline(equal_chunks(kind, 4, v, m), part());
      EXPECT_EQ(line.shown, m);
      EXPECT_EQ(line.played, kind);
      check_events(line, 4, static_cast<std::int32_t>(v));
    }
  }
}

TEST(RunTimeline, FallsBackAsTheSimulationDoes) {
  EXPECT_EQ(run_timeline(equal_chunks(ScheduleKind::v_half, 4, 1, 8), part()).played, ScheduleKind::zero_bubble_1);
  EXPECT_EQ(run_timeline(equal_chunks(ScheduleKind::interleaved, 4, 1, 8), part()).played, ScheduleKind::one_f_one_b);
  const RunTimeline flat = run_timeline(equal_chunks(ScheduleKind::one_f_one_b, 4, 2, 8), part());
  check_events(flat, 4, 1);
  EXPECT_NEAR(peak(flat.memory[0]),
              estimate_memory(equal_chunks(ScheduleKind::one_f_one_b, 4, 2, 8)).stages[0].device(), 1);
}

TEST(RunTimeline, VeryManyMicroBatchesAreShownInPart) {
  const Workload w = equal_chunks(ScheduleKind::interleaved, 16, 4, 4096);
  const RunTimeline line = run_timeline(w, part());
  EXPECT_EQ(line.micro_batches, 4096);
  EXPECT_LT(line.shown, 4096);
  EXPECT_GE(line.shown, 2 * 16);
  EXPECT_EQ(line.shown % 16, 0);
  EXPECT_LE(line.pipeline.events.size(), static_cast<std::size_t>(most_shown_events));
  check_events(line, 16, 4);
  // The totals are of all.
  const double busy = *std::max_element(line.pipeline.busy.begin(), line.pipeline.busy.end());
  EXPECT_GE(line.pipeline.seconds, busy);
  EXPECT_LT(line.pipeline.bubble_share, 0.01);
  EXPECT_NEAR(peak(line.memory[3]) / estimate_memory(w).stages[3].device(), 1, 1e-12);
}

TEST(RunTimeline, WhatCannotBeShown) {
  const RunTimeline deep = run_timeline(equal_chunks(ScheduleKind::interleaved, 256, 8, 512), part());
  EXPECT_EQ(deep.shown, 0);
  EXPECT_TRUE(deep.pipeline.events.empty());
  EXPECT_TRUE(deep.memory.empty());
  EXPECT_EQ(deep.base_bytes.size(), 256U);
  EXPECT_GT(deep.pipeline.bubble_share, 0);
  EXPECT_EQ(run_timeline(Workload(), part()).micro_batches, 0);
  EXPECT_TRUE(run_timeline(equal_chunks(ScheduleKind::one_f_one_b, 5000, 1, 8), part()).pipeline.busy.empty());
  Workload unplaced = equal_chunks(ScheduleKind::one_f_one_b, 4, 1, 8);
  unplaced.run.stages.clear();
  const RunTimeline line = run_timeline(unplaced, part());
  EXPECT_EQ(line.pipeline.events.size(), 4U * 8U * 2U);
  EXPECT_TRUE(line.base_bytes.empty());
  EXPECT_TRUE(line.memory.empty());
}

TEST(RunTimeline, OneStage) {
  const RunTimeline line = run_timeline(equal_chunks(ScheduleKind::none, 1, 1, 3), part());
  EXPECT_EQ(line.pipeline.events.size(), 6U);
  EXPECT_NEAR(line.pipeline.bubble_share, 0, 1e-12);
  EXPECT_EQ(line.pipeline.events[0].kind, PassKind::forward);
  EXPECT_EQ(line.pipeline.events[1].kind, PassKind::backward);
}

}  // namespace
}  // namespace primus_plan
