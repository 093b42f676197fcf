#include "primus_plan/estimate/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace primus_plan {
namespace {

constexpr ScheduleKind all_kinds[] = {
    ScheduleKind::none,        ScheduleKind::gpipe,         ScheduleKind::circular,      ScheduleKind::one_f_one_b,
    ScheduleKind::interleaved, ScheduleKind::zero_bubble_1, ScheduleKind::zero_bubble_2, ScheduleKind::v_zero_bubble,
    ScheduleKind::v_half,      ScheduleKind::v_min,         ScheduleKind::dual_pipe_v};

bool is_v_shaped(ScheduleKind kind) { return kind >= ScheduleKind::v_zero_bubble; }

std::size_t chunks_for(ScheduleKind kind) {
  if (is_v_shaped(kind)) return 2;
  return kind == ScheduleKind::interleaved || kind == ScheduleKind::circular ? 3 : 1;
}

PipelineCosts equal_stages(std::size_t ranks, std::size_t chunks, ChunkCost rank, double transfer = 0) {
  const double share = 1.0 / static_cast<double>(chunks);
  const ChunkCost chunk{rank.forward * share, rank.backward_input * share, rank.backward_weight * share};
  return {std::vector(ranks, std::vector(chunks, chunk)), transfer};
}

PipelineSums sums_of(const PipelineCosts& costs) {
  PipelineSums out;
  out.chunks = static_cast<double>(costs.ranks.front().size());
  out.transfer_seconds = costs.transfer_seconds;
  for (const auto& chunks : costs.ranks) {
    ChunkCost rank;
    for (const ChunkCost& chunk : chunks) {
      rank.forward += chunk.forward;
      rank.backward_input += chunk.backward_input;
      rank.backward_weight += chunk.backward_weight;
    }
    out.add(rank);
  }
  return out;
}

/// Costs of a random pipeline; `spread` is how far stages differ.
PipelineCosts random_stages(std::mt19937& random, std::size_t ranks, std::size_t chunks, double spread) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const ChunkCost base{1, 1.2 + 0.3 * unit(random), 0.9 + 0.2 * unit(random)};
  PipelineCosts out = equal_stages(ranks, chunks, base, 0.01 * (1 + unit(random)));
  for (auto& rank : out.ranks) {
    for (ChunkCost& chunk : rank) {
      const double factor = 1 + spread * unit(random);
      chunk = {chunk.forward * factor, chunk.backward_input * factor, chunk.backward_weight * factor};
    }
  }
  return out;
}

TEST(Pipeline, ClosedFormsOfEqualStagesAreExact) {
  const ChunkCost rank{1, 1.25, 0.75};  // sums without rounding
  for (const std::size_t p : {1U, 2U, 4U, 8U, 16U}) {
    for (const std::int64_t m : {1, 3, 8, 32}) {
      const double stages = static_cast<double>(p);
      const double slots = static_cast<double>(m) + stages - 1;
      const PipelineCosts costs = equal_stages(p, 1, rank);
      for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b}) {
        EXPECT_DOUBLE_EQ(simulate_pipeline(kind, costs, m).seconds, slots * rank.total());
        EXPECT_DOUBLE_EQ(pipeline_seconds(kind, sums_of(costs), m), slots * rank.total());
      }
      EXPECT_NEAR(simulate_pipeline(ScheduleKind::one_f_one_b, costs, m).bubble_share, (stages - 1) / slots, 1e-12);
    }
  }
}

TEST(Pipeline, InterleavedClosedFormIsExact) {
  const ChunkCost rank{1, 1.25, 0.75};
  for (const std::size_t p : {2U, 4U, 8U}) {
    for (const std::size_t v : {2U, 4U, 8U}) {
      for (const std::int64_t rounds : {1, 2, 5}) {
        const std::int64_t m = rounds * static_cast<std::int64_t>(p);
        const double chunk = rank.total() / static_cast<double>(v);
        const double expected =
            (static_cast<double>(m * static_cast<std::int64_t>(v)) + static_cast<double>(p) - 1) * chunk;
        const PipelineCosts costs = equal_stages(p, v, rank);
        EXPECT_DOUBLE_EQ(simulate_pipeline(ScheduleKind::interleaved, costs, m).seconds, expected) << p << ' ' << v;
        EXPECT_DOUBLE_EQ(pipeline_seconds(ScheduleKind::interleaved, sums_of(costs), m), expected);
      }
    }
  }
}

TEST(Pipeline, CircularClosedFormIsExact) {
  // (m v + p - 1) chunks, and where the micro-batches do not cover the way around the ranks, what is waited for.
  const ChunkCost rank{1, 1.25, 0.75};
  for (const double transfer : {0.0, 0.125}) {
    for (const std::size_t p : {2U, 4U, 8U}) {
      for (const std::size_t v : {2U, 4U}) {
        for (const std::int64_t m : {1, 3, 8, 32}) {
          const PipelineCosts costs = equal_stages(p, v, rank, transfer);
          const double seconds = simulate_pipeline(ScheduleKind::circular, costs, m).seconds;
          EXPECT_NEAR(pipeline_seconds(ScheduleKind::circular, sums_of(costs), m), seconds, 1e-9)
              << p << ' ' << v << ' ' << m << ' ' << transfer;
          if (transfer > 0 || m < static_cast<std::int64_t>(p)) continue;
          const double chunks = static_cast<double>(m) * static_cast<double>(v) + static_cast<double>(p) - 1;
          EXPECT_DOUBLE_EQ(seconds, chunks * rank.total() / static_cast<double>(v));
        }
      }
    }
  }
}

TEST(Pipeline, CircularRunsEveryForwardPassFirst) {
  const PipelineTimeline line =
      simulate_pipeline(ScheduleKind::circular, equal_stages(4, 3, {1, 1.25, 0.75}, 0.01), 8, true);
  EXPECT_EQ(line.in_flight, (std::vector<double>{8, 8, 8, 8}));
  for (std::size_t i = 0; i < line.events.size(); ++i) {
    const bool first_half = i % 48 < 24;  // of each rank's 2 x 3 x 8 passes
    EXPECT_EQ(line.events[i].kind == PassKind::forward, first_half) << i;
  }
  // Played in part, the rest is in flight too.
  EXPECT_NEAR(simulate_pipeline(ScheduleKind::circular, equal_stages(4, 2, {1, 1, 1}), 1'000'000).in_flight[0], 1e6, 1);
}

TEST(Pipeline, ZeroBubbleClosedForms) {
  // ZB-H1 with F = B = W: the bubble is a third of 1F1B's (Qi et al. 2023, table 2).
  const PipelineCosts equal = equal_stages(8, 1, {1, 1, 1});
  EXPECT_DOUBLE_EQ(simulate_pipeline(ScheduleKind::zero_bubble_1, equal, 16).seconds, 16 * 3 + 7);
  EXPECT_DOUBLE_EQ(pipeline_seconds(ScheduleKind::zero_bubble_1, sums_of(equal), 16), 16 * 3 + 7);
  // A folded pipeline only waits to be filled.
  const PipelineCosts folded = equal_stages(8, 2, {1, 1, 1});
  EXPECT_DOUBLE_EQ(simulate_pipeline(ScheduleKind::v_zero_bubble, folded, 16).seconds, 16 * 3 + 3.5);
  // V-half: half of 1F1B's bubble (Qi et al. 2024, table 1).
  EXPECT_DOUBLE_EQ(simulate_pipeline(ScheduleKind::v_half, folded, 16).seconds, 16 * 3 + 10.5);
}

TEST(Pipeline, MicroBatchesInFlight) {
  const PipelineCosts flat = equal_stages(4, 1, {1, 1, 1});
  const PipelineCosts folded = equal_stages(4, 2, {1, 1, 1});
  EXPECT_EQ(simulate_pipeline(ScheduleKind::one_f_one_b, flat, 16).in_flight, (std::vector<double>{4, 3, 2, 1}));
  EXPECT_EQ(simulate_pipeline(ScheduleKind::gpipe, flat, 16).in_flight, (std::vector<double>{16, 16, 16, 16}));
  EXPECT_EQ(simulate_pipeline(ScheduleKind::one_f_one_b, flat, 2).in_flight, (std::vector<double>{2, 2, 2, 1}));
  // Interleaved, rank 0: p (1 + (p - 1) / (p v)).
  EXPECT_DOUBLE_EQ(simulate_pipeline(ScheduleKind::interleaved, folded, 16).in_flight[0], 4 * (1 + 3.0 / 8));
  // The V-shaped schedules stay within what they are named for, on every rank.
  for (const double held : simulate_pipeline(ScheduleKind::v_half, folded, 16).in_flight) EXPECT_LE(held, 4 / 2.0 + 1);
  for (const double held : simulate_pipeline(ScheduleKind::v_min, folded, 16).in_flight) EXPECT_LE(held, 4 / 3.0 + 1.5);
  for (const double held : simulate_pipeline(ScheduleKind::v_zero_bubble, folded, 16).in_flight) EXPECT_LE(held, 4);
}

/// Every pass of every micro-batch once, none at the same time on a rank, none before its input.
void check_events(ScheduleKind kind, const PipelineCosts& costs, std::int64_t micro_batches) {
  const PipelineTimeline line = simulate_pipeline(kind, costs, micro_batches, true);
  const std::int32_t p = static_cast<std::int32_t>(costs.ranks.size());
  const std::int32_t v = static_cast<std::int32_t>(costs.ranks.front().size());
  using Pass = std::tuple<std::int32_t, std::int32_t, bool>;  // stage, micro-batch, forward
  std::map<Pass, PipelineEvent> done;
  std::size_t weights = 0;
  const auto stage = [&](const PipelineEvent& e) {
    return is_v_shaped(kind) && e.chunk == 1 ? 2 * p - 1 - e.rank : e.chunk * p + e.rank;
  };
  for (std::size_t i = 0; i < line.events.size(); ++i) {
    const PipelineEvent& event = line.events[i];
    EXPECT_LE(event.start, event.end);
    if (i > 0 && line.events[i - 1].rank == event.rank) {
      EXPECT_LE(line.events[i - 1].end, event.start + 1e-12);
    }
    if (event.kind == PassKind::backward_weight) {
      ++weights;
      continue;
    }
    const bool forward = event.kind == PassKind::forward;
    EXPECT_TRUE(done.emplace(Pass{stage(event), event.micro_batch, forward}, event).second);
  }
  const std::size_t passes = static_cast<std::size_t>(p * v) * static_cast<std::size_t>(micro_batches);
  ASSERT_EQ(done.size(), 2 * passes);
  EXPECT_TRUE(weights == 0 || weights == passes);
  for (const auto& [pass, event] : done) {
    const auto& [here, micro_batch, forward] = pass;
    const bool at_end = forward ? here == 0 : here == p * v - 1;
    const PipelineEvent& before = at_end && forward ? event
                                  : at_end          ? done.at({here, micro_batch, true})
                                                    : done.at({forward ? here - 1 : here + 1, micro_batch, forward});
    if (&before == &event) continue;
    const double transfer = before.rank == event.rank ? 0 : costs.transfer_seconds;
    EXPECT_GE(event.start + 1e-12, before.end + transfer);
  }
}

TEST(Pipeline, EventsKeepTheRules) {
  std::mt19937 random(11);
  for (const ScheduleKind kind : all_kinds) {
    if (kind == ScheduleKind::none) continue;
    for (const std::size_t p : {2U, 3U, 8U}) {
      for (const std::int64_t m : {1, 2, 5, 8, 24}) {
        check_events(kind, random_stages(random, p, chunks_for(kind), 0.3), m);
      }
    }
  }
}

TEST(Pipeline, NoScheduleBeatsItsSlowestRank) {
  std::mt19937 random(5);
  for (const ScheduleKind kind : all_kinds) {
    for (int i = 0; i < 20; ++i) {
      const PipelineCosts costs = random_stages(random, 4, chunks_for(kind), 0.3);
      const PipelineSums sums = sums_of(costs);
      const double work = 12 * sums.slowest.total();
      EXPECT_GE(simulate_pipeline(kind, costs, 12).seconds, work * (1 - 1e-12));
      EXPECT_GE(pipeline_seconds(kind, sums, 12), work * (1 - 1e-12));
    }
  }
}

/// Median and nine-tenths error of the closed form against the simulation.
std::pair<double, double> error_of_closed_form(ScheduleKind kind, double spread) {
  std::mt19937 random(3);
  std::vector<double> errors;
  for (int i = 0; i < 200; ++i) {
    const std::size_t p = std::size_t{2} << (random() % 4);
    const std::int64_t m = static_cast<std::int64_t>(p * (2 + random() % 5));
    const PipelineCosts costs = random_stages(random, p, chunks_for(kind), spread);
    errors.push_back(
        std::abs(pipeline_seconds(kind, sums_of(costs), m) / simulate_pipeline(kind, costs, m).seconds - 1));
  }
  std::sort(errors.begin(), errors.end());
  return {errors[100], errors[180]};
}

TEST(Pipeline, ClosedFormFollowsTheSimulation) {
  for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::circular, ScheduleKind::one_f_one_b,
                                  ScheduleKind::interleaved, ScheduleKind::zero_bubble_1, ScheduleKind::zero_bubble_2,
                                  ScheduleKind::v_zero_bubble, ScheduleKind::dual_pipe_v}) {
    const auto [median, most] = error_of_closed_form(kind, 0.15);
    EXPECT_LT(median, 0.03) << static_cast<int>(kind);
    EXPECT_LT(most, 0.08) << static_cast<int>(kind);
  }
  for (const ScheduleKind kind : {ScheduleKind::v_half, ScheduleKind::v_min}) {
    EXPECT_LT(error_of_closed_form(kind, 0.15).first, 0.15) << static_cast<int>(kind);
  }
}

TEST(Pipeline, VeryManyMicroBatchesRepeatTheFirst) {
  const PipelineCosts costs = equal_stages(4, 1, {1, 1.25, 0.75});
  const PipelineTimeline line = simulate_pipeline(ScheduleKind::one_f_one_b, costs, 1'000'000);
  EXPECT_NEAR(line.seconds, (1'000'000 + 3) * 3.0, 1e-3);
  EXPECT_NEAR(line.bubble_share, 3 / 1'000'003.0, 1e-9);
  EXPECT_NEAR(line.busy[2], 3e6, 1e-3);
  EXPECT_EQ(simulate_pipeline(ScheduleKind::gpipe, equal_stages(5000, 1, {1, 1, 1}), 8).seconds, 0);
}

TEST(Pipeline, WhatCannotBePlayed) {
  EXPECT_EQ(simulate_pipeline(ScheduleKind::one_f_one_b, {}, 8).seconds, 0);
  EXPECT_EQ(simulate_pipeline(ScheduleKind::one_f_one_b, equal_stages(2, 1, {1, 1, 1}), 0).seconds, 0);
  EXPECT_EQ(pipeline_seconds(ScheduleKind::one_f_one_b, {}, 8), 0);
  // A V-shaped schedule without two chunks, interleaved without chunks.
  const PipelineCosts flat = equal_stages(4, 1, {1, 1, 1});
  EXPECT_EQ(simulate_pipeline(ScheduleKind::v_half, flat, 8).seconds,
            simulate_pipeline(ScheduleKind::zero_bubble_1, flat, 8).seconds);
  EXPECT_EQ(simulate_pipeline(ScheduleKind::interleaved, flat, 8).seconds,
            simulate_pipeline(ScheduleKind::one_f_one_b, flat, 8).seconds);
  // Chunks that a schedule does not know are one stage.
  EXPECT_EQ(simulate_pipeline(ScheduleKind::one_f_one_b, equal_stages(4, 2, {1, 1, 1}), 8).seconds,
            simulate_pipeline(ScheduleKind::one_f_one_b, flat, 8).seconds);
}

}  // namespace
}  // namespace primus_plan
