#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "primus_plan/estimate/pipeline.h"
#include "primus_plan/estimate/step_time.h"
#include "primus_plan/run/hardware.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Bytes of one GPU of a stage from a moment on.
struct StageMemoryPoint {
  double seconds = 0;
  double bytes = 0;
};

/// A run's pipeline as it is played, pass by pass, with the memory that it takes meanwhile.
struct RunTimeline {
  /// With events; from the first pass to the last, between two drains. Its seconds, busy and bubble are of all
  /// micro-batches, also where the events show fewer.
  PipelineTimeline pipeline;
  ScheduleKind played = ScheduleKind::none;  ///< the schedule that was played (see simulate_pipeline's fall-backs)
  std::int64_t micro_batches = 0;            ///< between two drains
  /// Micro-batches that `events` cover: all, or the first of very many (the events are then those of a pipeline that
  /// drains after them: the others repeat its middle). 0: the pipeline is too large for a picture.
  std::int64_t shown = 0;
  std::vector<double> base_bytes;  ///< per pipeline rank: everything but activations
  /// Per pipeline rank, over the time of the events: base and the activations held. Its largest value is the stage's
  /// memory as estimate_memory has it. Empty when the layers cannot be placed or nothing is shown.
  std::vector<std::vector<StageMemoryPoint>> memory;
};

/// Plays the pipeline of a run. Empty when the workload lacks what the step's estimate needs (see estimate_step) and
/// for pipelines beyond `most_simulated_stages`. Activations count from the start of their forward pass to the end of
/// the last pass that reads them; what one layer needs while it runs and the logits are part of the base, for they come
/// and go within a pass.
RunTimeline run_timeline(const Workload& workload, const Hardware& hardware, const StepOptions& options = {});

/// Why a run cannot take another schedule or another number of micro-batches as it is, as a sentence; empty where it
/// can. Sources: Megatron-LM core/pipeline_parallel/schedules.py, forward_backward_pipelining_with_interleaving (whole
/// rounds of the ranks); torch/distributed/pipelining/schedules.py, ScheduleDualPipeV (a micro-batch for each stage).
std::string refuse_schedule(const Workload& workload, ScheduleKind schedule, std::int64_t micro_batches);
/// The run with that schedule: layers stay on their ranks, but for the second chunks, which run backwards along the
/// ranks in V-shaped schedules.
void set_schedule(Workload& workload, ScheduleKind schedule);
/// The run with so many micro-batches between two drains; the global batch follows.
void set_micro_batches(Workload& workload, std::int64_t micro_batches);

/// Events that a picture has at most, unless so few micro-batches would not fill the pipeline.
inline constexpr std::int64_t most_shown_events = 20'000;

}  // namespace primus_plan
