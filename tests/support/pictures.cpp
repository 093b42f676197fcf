#include "support/pictures.h"

#include <string_view>
#include <vector>

#include "primus_plan/support/number.h"

namespace primus_plan::test {

RunTimeline round_timeline(ScheduleKind schedule, std::int64_t ranks, std::int64_t chunks, std::int64_t micro_batches) {
  const double share = 1.0 / static_cast<double>(chunks);
  const ChunkCost chunk{0.1 * share, 0.12 * share, 0.08 * share};
  const PipelineCosts costs{
      std::vector(static_cast<std::size_t>(ranks), std::vector(static_cast<std::size_t>(chunks), chunk)), 0.001};
  RunTimeline out;
  out.pipeline = simulate_pipeline(schedule, costs, micro_batches, true);
  out.played = schedule;
  out.micro_batches = out.shown = micro_batches;
  out.base_bytes.assign(static_cast<std::size_t>(ranks), 50 * gib);
  out.memory.assign(static_cast<std::size_t>(ranks), {{0, 50 * gib}});
  for (const PipelineEvent& event : out.pipeline.events) {
    std::vector<StageMemoryPoint>& line = out.memory[static_cast<std::size_t>(event.rank)];
    const double kept = 4 * gib * share;
    if (event.kind == PassKind::forward) line.push_back({event.start, line.back().bytes + kept});
    const bool frees = event.kind == PassKind::backward || event.kind == PassKind::backward_weight;
    if (frees) line.push_back({event.end, line.back().bytes - kept});
  }
  return out;
}

RankLayout round_layout(std::int64_t world, std::int64_t tensor, std::int64_t context, std::int64_t pipeline,
                        std::int64_t expert, std::int64_t ranks_per_node) {
  const std::int64_t data = world / (tensor * context * pipeline);
  const RankGrid dense({{"tp", tensor}, {"cp", context}, {"dp", data}, {"pp", pipeline}});
  const RankGrid experts({{"tp", tensor}, {"ep", expert}, {"dp", context * data / expert}, {"pp", pipeline}});
  RankLayout out{
      .world_size = world, .ranks_per_node = ranks_per_node, .order = "tp-cp-dp-pp", .grids = {}, .groups = {}};
  for (const std::string_view axis : {"tp", "cp", "dp", "pp"}) {
    out.groups.emplace_back(std::string(axis), dense, std::vector<std::string_view>{axis});
  }
  out.groups.emplace_back("ep", experts, std::vector<std::string_view>{"ep"});
  out.grids = {dense, experts};
  return out;
}

}  // namespace primus_plan::test
