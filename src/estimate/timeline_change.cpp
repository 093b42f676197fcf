#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "estimate/pipeline_orders.h"
#include "primus_plan/estimate/timeline.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

namespace {

/// Chunks of each rank; 1 where they differ.
std::size_t chunks_of(const Workload& workload) {
  const auto& stages = workload.run.stages;
  const std::size_t chunks = stages.empty() ? 1 : stages.front().size();
  const bool alike = std::all_of(stages.begin(), stages.end(), [&](const auto& s) { return s.size() == chunks; });
  return alike ? std::max<std::size_t>(1, chunks) : 1;
}

/// "virtual_pipeline_model_parallel_size sets them", or nothing where a backend has no key for it.
std::string key_hint(const RunKey& key) {
  return key.name == nullptr ? std::string() : fmt::format("; {} sets them", key.name);
}

}  // namespace

std::string refuse_schedule(const Workload& workload, ScheduleKind schedule, std::int64_t micro_batches) {
  const std::int64_t ranks = workload.run.degrees.pipeline;
  if (ranks < 2 && schedule != ScheduleKind::none) return "the run has one pipeline stage: nothing to schedule";
  if (ranks > 1 && schedule == ScheduleKind::none) return fmt::format("{} stages need a schedule", ranks);
  const std::size_t chunks = chunks_of(workload);
  const std::string hint = key_hint(workload.run.keys.virtual_pipeline);
  if (is_v_shaped(schedule) && chunks != 2) {
    return fmt::format("V-shaped schedules need two model chunks on each rank, and the run has {}{}", chunks, hint);
  }
  if ((schedule == ScheduleKind::interleaved || schedule == ScheduleKind::circular) && chunks < 2) {
    return fmt::format("{} schedule needs several model chunks on each rank, and the run has 1{}",
                       schedule == ScheduleKind::circular ? "a circular" : "an interleaved", hint);
  }
  if (schedule == ScheduleKind::interleaved && micro_batches % ranks != 0) {
    return fmt::format("an interleaved schedule takes micro-batches in rounds of the {} stages, which {} do not fill",
                       ranks, micro_batches);
  }
  if (schedule == ScheduleKind::dual_pipe_v && micro_batches < 2 * ranks) {
    return fmt::format("DualPipe-V needs a micro-batch for each of its {} half stages, and gets {}", 2 * ranks,
                       micro_batches);
  }
  return {};
}

void set_schedule(Workload& workload, ScheduleKind schedule) {
  auto& stages = workload.run.stages;
  const bool turns = is_v_shaped(schedule) != is_v_shaped(workload.schedule);
  if (turns && chunks_of(workload) == 2) {
    for (std::size_t i = 0; i < stages.size() / 2; ++i) std::swap(stages[i][1], stages[stages.size() - 1 - i][1]);
  }
  workload.schedule = schedule;
}

void set_micro_batches(Workload& workload, std::int64_t micro_batches) {
  Batch& batch = workload.run.batch;
  const std::int64_t samples = saturating_multiply(batch.micro, std::max<std::int64_t>(1, workload.run.degrees.data));
  if (batch.pipeline_micro_batches > 0) batch.pipeline_micro_batches = micro_batches;
  batch.accumulation_steps = micro_batches;
  batch.global = saturating_multiply(samples, micro_batches);
}

}  // namespace primus_plan
