#include "primus_plan/estimate/timeline.h"

#include <algorithm>
#include <span>

#include "estimate/chunk_activations.h"
#include "estimate/pipeline_orders.h"
#include "estimate/step_model.h"
#include "primus_plan/estimate/estimate.h"

namespace primus_plan {

namespace {

/// Events beyond which nothing is shown: a pipeline so deep that one filling of it is more than anybody looks at.
constexpr std::int64_t too_many_events = 250'000;

/// Micro-batches whose events are shown.
std::int64_t shown_micro_batches(const Playable& played, std::size_t ranks, std::int64_t micro_batches) {
  const bool splits = played.kind == ScheduleKind::zero_bubble_1 || played.kind == ScheduleKind::zero_bubble_2 ||
                      is_v_shaped(played.kind);
  const auto p = static_cast<std::int64_t>(ranks);
  const std::int64_t passes = p * static_cast<std::int64_t>(played.chunks) * (splits ? 3 : 2);
  std::int64_t shown = std::max(2 * p, most_shown_events / passes);
  if (shown >= micro_batches) shown = micro_batches;
  if (shown < micro_batches) shown -= shown % p;  // interleaved schedules take p at a time
  return shown * passes > too_many_events ? 0 : shown;
}

/// Bytes that each chunk of a rank keeps of one micro-batch; all chunks together where the schedule knows none.
std::vector<std::vector<double>> kept_bytes(const Workload& w, std::size_t chunks) {
  const ActivationContext c = activation_context(w);
  const LayerTable table = layer_table(w, c);
  std::vector<std::vector<double>> out;
  for (const auto& stage : w.run.stages) {
    std::vector<double>& bytes = out.emplace_back(chunks, 0.0);
    for (std::size_t i = 0; i < stage.size(); ++i) {
      bytes[std::min(i, chunks - 1)] += c.tokens * chunk_activations(w, c, stage[i], table).kept;
    }
  }
  return out;
}

/// The last value of each moment.
void add_point(std::vector<StageMemoryPoint>& line, double seconds, double bytes) {
  if (!line.empty() && line.back().seconds >= seconds) {
    line.back().bytes = bytes;
  } else {
    line.push_back({seconds, bytes});
  }
}

/// Activations that one rank holds over time: `events` are its own, in the order they run.
std::vector<StageMemoryPoint> held_activations(std::span<const PipelineEvent> events, std::span<const double> kept) {
  // A pass that only makes input gradients leaves its activations to the one that makes the weights'.
  std::vector<StageMemoryPoint> out = {{0, 0}};
  double held = 0;
  for (const PipelineEvent& event : events) {
    const double bytes = kept[static_cast<std::size_t>(event.chunk)];
    if (event.kind == PassKind::forward) add_point(out, event.start, held += bytes);
    if (event.kind == PassKind::backward || event.kind == PassKind::backward_weight) {
      add_point(out, event.end, held -= bytes);
    }
  }
  return out;
}

/// Puts activations on top of the base. The memory estimate counts what V-shaped schedules hold by their published
/// bounds, and takes off what goes to the host: the line keeps its shape and gets the estimate's height.
void lift(std::vector<StageMemoryPoint>& line, double base, double activations) {
  double most = 0;
  for (const StageMemoryPoint& point : line) most = std::max(most, point.bytes);
  const double scale = most > 0 ? activations / most : 0;
  for (StageMemoryPoint& point : line) point.bytes = base + std::max(0.0, scale * point.bytes);
}

void add_memory_lines(RunTimeline& out, const Workload& w, const MemoryEstimate& memory, std::size_t chunks) {
  const std::vector<std::vector<double>> kept = kept_bytes(w, chunks);
  const std::vector<PipelineEvent>& events = out.pipeline.events;
  std::size_t begin = 0;
  for (std::size_t rank = 0; rank < kept.size(); ++rank) {
    std::size_t end = begin;
    while (end < events.size() && static_cast<std::size_t>(events[end].rank) == rank) ++end;
    std::vector<StageMemoryPoint>& line =
        out.memory.emplace_back(held_activations(std::span(events).subspan(begin, end - begin), kept[rank]));
    lift(line, out.base_bytes[rank], memory.stages[rank][MemoryPart::activations]);
    begin = end;
  }
}

}  // namespace

RunTimeline run_timeline(const Workload& workload, const Hardware& hardware, const StepOptions& options) {
  RunTimeline out;
  const PipelineCosts costs = pipeline_costs(workload, hardware, options);
  if (costs.ranks.empty()) return out;
  const std::int64_t micro_batches = primus_plan::micro_batches(workload).between_flushes;
  const Playable played = playable(workload.schedule, costs);
  const std::int64_t shown = shown_micro_batches(played, costs.ranks.size(), micro_batches);
  out.pipeline = simulate_pipeline(workload.schedule, costs, micro_batches, shown == micro_batches);
  if (out.pipeline.busy.empty()) return {};
  if (shown > 0 && shown < micro_batches) {
    out.pipeline.events = simulate_pipeline(workload.schedule, costs, shown, true).events;
  }
  out.played = played.kind;
  out.micro_batches = micro_batches;
  out.shown = shown;
  if (workload.run.stages.size() != costs.ranks.size()) return out;
  const MemoryEstimate memory = estimate_memory(workload, memory_device(&hardware));
  for (const StageMemory& stage : memory.stages) {
    out.base_bytes.push_back(stage.device() - stage[MemoryPart::activations]);
  }
  if (shown > 0) add_memory_lines(out, workload, memory, played.chunks);
  return out;
}

}  // namespace primus_plan
