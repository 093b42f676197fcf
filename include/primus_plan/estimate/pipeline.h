#pragma once

#include <cstdint>
#include <vector>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Seconds that one micro-batch takes in one model chunk.
struct ChunkCost {
  double forward = 0;
  double backward_input = 0;   ///< with what is recomputed
  double backward_weight = 0;  ///< schedules that do not split the backward pass take both together
  double backward() const { return backward_input + backward_weight; }
  double total() const { return forward + backward(); }
};

/// A pipeline's costs: [rank][chunk], the same number of chunks on every rank. In V-shaped schedules the second chunk
/// runs from the last rank back to the first.
struct PipelineCosts {
  std::vector<std::vector<ChunkCost>> ranks;
  double transfer_seconds = 0;  ///< of one activation (or gradient) from a stage to the next
};

enum class PassKind : std::uint8_t { forward, backward_input, backward_weight, backward };

/// One pass of one micro-batch on one rank.
struct PipelineEvent {
  std::int32_t rank = 0;
  std::int32_t chunk = 0;
  std::int32_t micro_batch = 0;
  PassKind kind = PassKind::forward;
  double start = 0;
  double end = 0;
};

struct PipelineTimeline {
  double seconds = 0;        ///< from the first pass to the last
  double bubble_share = 0;   ///< of all ranks' time in which they wait
  std::vector<double> busy;  ///< seconds of each rank
  std::vector<double>
      in_flight;  ///< most micro-batches' activations that each rank holds at once; a chunk of v counts 1/v
  std::vector<PipelineEvent> events;  ///< by rank, in the order they run; when asked for
};

/// Chunks of all ranks together, beyond which no pipeline is played.
inline constexpr std::int64_t most_simulated_stages = 4096;

/// Plays a schedule: the framework's order of passes on each rank, each pass as soon as the rank is free and its input
/// is there. No micro-batches, no ranks or more than `most_simulated_stages` give an empty timeline; of very many
/// micro-batches only the first thousands are played, the others repeat them. Schedules that want two chunks a rank
/// (the V-shaped ones) fall back to ZB1P with another number, interleaved to 1F1B with one. Sources: Megatron-LM
/// core/pipeline_parallel/schedules.py (1F1B, interleaved); Primus core/pipeline_parallel/scheduler/algorithms
/// (zero-bubble, V-shaped); Qi et al. 2023 and 2024.
PipelineTimeline simulate_pipeline(ScheduleKind schedule, const PipelineCosts& costs, std::int64_t micro_batches,
                                   bool with_events = false);

/// What the closed form needs of a pipeline: no list of stages, so that it costs nothing to make.
struct PipelineSums {
  double chunks = 1;  ///< on each rank
  double transfer_seconds = 0;

  /// Adds one rank's seconds of a micro-batch, all its chunks together.
  void add(const ChunkCost& rank);

  double ranks = 0;
  double sum = 0;     ///< of the ranks
  ChunkCost total;    ///< of the ranks
  ChunkCost slowest;  ///< the rank that takes longest
};

/// Seconds of all micro-batches by the closed form of the schedule: exact for equal stages in none, GPipe, 1F1B,
/// interleaved (micro-batches a multiple of the ranks) and ZB1P; within a few per cent of the simulation for uneven
/// stages and for ZB2P, ZBV and DualPipe-V. V-half and V-min depend on how the passes fall: published bubbles stand for
/// them (Qi et al. 2024, table 1, and 5 and 12 % for unequal passes), so simulate where they matter.
double pipeline_seconds(ScheduleKind schedule, const PipelineSums& sums, std::int64_t micro_batches);

}  // namespace primus_plan
