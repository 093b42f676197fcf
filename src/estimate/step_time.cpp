#include "primus_plan/estimate/step_time.h"

#include <algorithm>

#include "estimate/data_time.h"
#include "estimate/stage_time.h"
#include "estimate/step_model.h"

namespace primus_plan {

namespace {

bool has_step(const Workload& w, const Hardware& hardware) {
  return has_layers(w) && has_batch(w) && hardware.computes(w.precision);
}

ChunkCost cost_of(const LayerSeconds& seconds) {
  return {.forward = seconds.forward.total(),
          .backward_input = seconds.backward.total() - seconds.weight_gradients,
          .backward_weight = seconds.weight_gradients};
}

double& at(PartSeconds& parts, TimePart part) { return parts[static_cast<std::size_t>(part)]; }

void add_pass(PartSeconds& parts, const PassSeconds& pass, double times) {
  at(parts, TimePart::matrices) += pass.matrices * times;
  at(parts, TimePart::experts) += pass.experts * times;
  at(parts, TimePart::attention) += pass.attention * times;
  at(parts, TimePart::elementwise) += pass.elementwise * times;
  at(parts, TimePart::logits) += pass.logits * times;
  at(parts, TimePart::launch) += pass.launch * times;
  at(parts, TimePart::recompute) += pass.recompute * times;
  at(parts, TimePart::tensor_exchange) += pass.tensor_exchange * times;
  at(parts, TimePart::context_exchange) += pass.context_exchange * times;
  at(parts, TimePart::expert_exchange) += pass.expert_exchange * times;
}

double transfer_seconds(const TimeModel& model) {
  const Degrees& d = model.workload.run.degrees;
  if (d.pipeline <= 1) return 0;
  const CommunicationGroup group{d.pipeline,
                                 std::max<std::int64_t>(1, model.workload.run.launch.world_size / d.pipeline)};
  const double bytes =
      model.tokens * static_cast<double>(model.workload.model.hidden) * model.value_bytes / model.sequence_split;
  return model.constants.transfer_exposed * model.network.point_to_point(group, bytes);
}

/// Seconds from the first pass to the last: played where there are costs to play, by the closed form otherwise.
double drained_seconds(ScheduleKind schedule, const PipelineSums& sums, std::int64_t micro_batches,
                       const PipelineCosts& costs) {
  const double played = costs.ranks.size() > 1 ? simulate_pipeline(schedule, costs, micro_batches).seconds : 0;
  return played > 0 ? played : pipeline_seconds(schedule, sums, micro_batches);
}

/// What a pipeline takes longer than the work of its slowest rank; differences of rounding are none.
double waiting(double pipeline, double work) {
  constexpr double rounding = 1e-12;
  return pipeline - work > rounding * work ? pipeline - work : 0;
}

}  // namespace

bool has_layers(const Workload& w) { return w.model.layers > 0 && w.model.hidden > 0 && !w.model.kinds.empty(); }

bool has_batch(const Workload& w) {
  const Batch& b = w.run.batch;
  return b.micro > 0 && b.sequence_length > 0 && b.global > 0 && w.run.degrees.data > 0 && w.run.launch.world_size > 0;
}

MicroBatches micro_batches(const Workload& w) {
  const Batch& b = w.run.batch;
  MicroBatches out;
  out.all = std::max(
      1.0, static_cast<double>(b.global) / (static_cast<double>(b.micro) * static_cast<double>(w.run.degrees.data)));
  out.between_flushes = std::max<std::int64_t>(1, b.micro_batches_between_flushes());
  // Compared as real numbers: the largest integer has none of its own.
  if (static_cast<double>(out.between_flushes) > out.all) out.between_flushes = static_cast<std::int64_t>(out.all);
  return out;
}

StepEstimate estimate_step(const Workload& w, const Hardware& hardware, const StepOptions& options) {
  StepEstimate out;
  if (!has_step(w, hardware)) return out;
  const TimeModel model(w, hardware, time_constants, options.compute_scale * hardware.calibration.compute_scale);
  const StageTimes times(model);
  const std::int64_t ranks = std::max<std::int64_t>(1, w.run.degrees.pipeline);
  PipelineSums sums;
  sums.chunks = static_cast<double>(std::max<std::int64_t>(1, w.run.degrees.virtual_pipeline));
  sums.transfer_seconds = transfer_seconds(model);
  LayerSeconds slowest;
  double slowest_total = -1;
  const bool placed = static_cast<std::int64_t>(w.run.stages.size()) == ranks;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    LayerSeconds here;
    if (placed) {
      for (const StageChunk& chunk : w.run.stages[static_cast<std::size_t>(rank)]) here.add(times.chunk(chunk), 1);
    } else {
      here = times.even_share(rank, ranks);
    }
    sums.add(cost_of(here));
    if (here.total() > slowest_total) slowest = here, slowest_total = here.total();
  }
  const MicroBatches batches = micro_batches(w);
  const double flushes = batches.all / static_cast<double>(batches.between_flushes);
  const ScheduleKind schedule = ranks == 1 ? ScheduleKind::none : w.schedule;
  const double pipeline =
      flushes * drained_seconds(schedule, sums, batches.between_flushes,
                                options.simulate ? pipeline_costs(w, hardware, options) : PipelineCosts{});
  add_pass(out.parts, slowest.forward, batches.all);
  add_pass(out.parts, slowest.backward, batches.all);
  at(out.parts, TimePart::pipeline) = ranks == 1 ? 0 : waiting(pipeline, batches.all * slowest_total);
  at(out.parts, TimePart::data_exchange) = exposed_data_exchange(model, slowest, batches.all);
  at(out.parts, TimePart::optimizer) = optimizer_seconds(model, slowest);
  at(out.parts, TimePart::fixed) = time_constants.step_fixed;
  for (const double seconds : out.parts) out.seconds += seconds;
  finish(out, w, hardware);
  return out;
}

PipelineCosts pipeline_costs(const Workload& w, const Hardware& hardware, const StepOptions& options) {
  PipelineCosts out;
  if (!has_step(w, hardware)) return out;
  const TimeModel model(w, hardware, time_constants, options.compute_scale * hardware.calibration.compute_scale);
  const StageTimes times(model);
  const std::int64_t ranks = std::max<std::int64_t>(1, w.run.degrees.pipeline);
  const bool placed = static_cast<std::int64_t>(w.run.stages.size()) == ranks;
  out.transfer_seconds = transfer_seconds(model);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    std::vector<ChunkCost>& chunks = out.ranks.emplace_back();
    if (!placed) {
      chunks.push_back(cost_of(times.even_share(rank, ranks)));
      continue;
    }
    for (const StageChunk& chunk : w.run.stages[static_cast<std::size_t>(rank)])
      chunks.push_back(cost_of(times.chunk(chunk)));
  }
  return out;
}

}  // namespace primus_plan
