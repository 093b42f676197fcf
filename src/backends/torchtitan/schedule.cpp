#include "backends/torchtitan/schedule.h"

#include "primus_plan/support/text.h"

namespace primus_plan::torchtitan {
namespace {

constexpr Schedule table[] = {
    {.name = "1F1B", .need = MicroBatchNeed::one_a_stage},
    {.name = "GPipe"},
    {.name = "Interleaved1F1B", .multi_stage = true, .need = MicroBatchNeed::rounds},
    {.name = "LoopedBFS", .multi_stage = true},
    {.name = "InterleavedZeroBubble", .multi_stage = true, .zero_bubble = true, .need = MicroBatchNeed::rounds},
    {.name = "ZBVZeroBubble", .multi_stage = true, .v_shaped = true, .zero_bubble = true},
    {.name = "DualPipeV",
     .multi_stage = true,
     .v_shaped = true,
     .zero_bubble = true,
     .need = MicroBatchNeed::one_a_stage},
    {.name = "PipelineScheduleSingle", .is_abstract = true},
    {.name = "PipelineScheduleMulti", .multi_stage = true, .is_abstract = true},
};

}  // namespace

bool takes_micro_batches(const Schedule& schedule, std::int64_t micro_batches, std::int64_t stages,
                         std::int64_t ranks) {
  switch (schedule.need) {
    case MicroBatchNeed::any:
      return true;
    case MicroBatchNeed::one_a_stage:
      return micro_batches >= stages;
    case MicroBatchNeed::rounds:
      return micro_batches % (micro_batches < ranks ? 1 : micro_batches / ranks) == 0;
  }
  return true;
}

std::span<const Schedule> schedules() { return table; }

const Schedule* find_schedule(std::string_view name) {
  for (const Schedule& schedule : table) {
    if (equal_ignoring_case(schedule.name, name)) return &schedule;
  }
  return nullptr;
}

}  // namespace primus_plan::torchtitan
