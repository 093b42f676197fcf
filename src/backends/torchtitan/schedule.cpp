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

std::span<const Schedule> schedules() { return table; }

const Schedule* find_schedule(std::string_view name) {
  for (const Schedule& schedule : table) {
    if (equal_ignoring_case(schedule.name, name)) return &schedule;
  }
  return nullptr;
}

}  // namespace primus_plan::torchtitan
