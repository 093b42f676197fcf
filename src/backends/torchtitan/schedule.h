#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace primus_plan::torchtitan {

/// How many micro-batches a schedule wants in one accumulation step.
enum class MicroBatchNeed : std::uint8_t {
  any,
  one_a_stage,  ///< at least as many as stages
  rounds,       ///< a multiple of the number of rounds, max(1, micro-batches / PP)
};

/// A pipeline schedule that torch knows by name.
/// Source: torch/distributed/pipelining/schedules.py:get_schedule_class and the constructors of the classes.
struct Schedule {
  std::string_view name;
  bool multi_stage = false;  ///< several stages on each rank
  bool v_shaped = false;     ///< rank p holds stages p and 2 PP - 1 - p
  bool zero_bubble = false;  ///< splits the backward pass, which a compiled stage cannot do
  bool is_abstract = false;  ///< needs pipeline_parallel_schedule_csv
  MicroBatchNeed need = MicroBatchNeed::any;
};

/// Whether a schedule takes this many micro-batches (1 or more) over `stages` virtual stages on `ranks` pipeline ranks.
/// Source: the constructors in torch/distributed/pipelining/schedules.py.
bool takes_micro_batches(const Schedule& schedule, std::int64_t micro_batches, std::int64_t stages, std::int64_t ranks);

/// All of them.
std::span<const Schedule> schedules();
/// By name, upper and lower case equal, as torch looks it up; null when there is none.
const Schedule* find_schedule(std::string_view name);

}  // namespace primus_plan::torchtitan
