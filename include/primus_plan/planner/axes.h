#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "primus_plan/run/candidate.h"

namespace primus_plan {

/// What a plan can be pinned on.
enum class PlanAxis : std::uint8_t {
  tensor,
  pipeline,
  chunks,
  context,
  expert,
  expert_tensor,
  micro_batch,
  replicas,
  sharding,
  schedule,
  recompute,
  precision,  ///< searched only when asked for
};
inline constexpr std::size_t plan_axes = 12;

/// An axis as users name it.
struct AxisName {
  PlanAxis axis;
  std::string_view name;   ///< "tp"
  std::string_view label;  ///< "TP"
  std::string_view about;  ///< "tensor parallel"
};
std::span<const AxisName, plan_axes> axis_names();
std::string_view label_of(PlanAxis axis);
/// By name or label, in any case; null when there is none.
const AxisName* find_axis_name(std::string_view name);

/// A candidate's value on an axis; enumerations as their numbers.
std::int64_t value_on(const Candidate& candidate, PlanAxis axis);
void set_value(Candidate& candidate, PlanAxis axis, std::int64_t value);
/// "8", "optimizer", "1f1b" …
std::string value_text(PlanAxis axis, std::int64_t value);
/// Nothing for what is no value of the axis.
std::optional<std::int64_t> parse_value(PlanAxis axis, std::string_view text);
/// The words that the axis takes, joined by commas; "a whole number from 1 to 1073741824" for degrees.
std::string value_help(PlanAxis axis);

/// "TP 8 x PP 2 x VPP 5": degrees above 1, "no model parallelism" without any.
std::string layout_text(const Candidate& candidate);
/// "micro-batch 2, distributed optimizer, 1f1b, recompute block 5": the rest. `always_recomputes`: of the backend, see
/// PlanKnobs.
std::string settings_text(const Candidate& candidate, bool always_recomputes);

}  // namespace primus_plan
