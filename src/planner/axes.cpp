#include "primus_plan/planner/axes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "primus_plan/support/text.h"
#include "support/whole_number.h"

namespace primus_plan {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 30;  // no degree is larger; products of two fit

constexpr std::array<AxisName, plan_axes> names{{
    {PlanAxis::tensor, "tp", "TP", "tensor parallel"},
    {PlanAxis::pipeline, "pp", "PP", "pipeline parallel"},
    {PlanAxis::chunks, "vpp", "VPP", "model chunks on a pipeline rank"},
    {PlanAxis::context, "cp", "CP", "context parallel"},
    {PlanAxis::expert, "ep", "EP", "expert parallel"},
    {PlanAxis::expert_tensor, "etp", "ETP", "expert tensor parallel"},
    {PlanAxis::micro_batch, "mbs", "micro-batch", "samples that a rank takes at once"},
    {PlanAxis::replicas, "replicas", "replicas", "copies of the sharded state"},
    {PlanAxis::sharding, "sharding", "sharding", "what data-parallel ranks share"},
    {PlanAxis::schedule, "schedule", "schedule", "order of passes in a pipeline"},
    {PlanAxis::recompute, "recompute", "recompute", "activations that are made again"},
    {PlanAxis::precision, "precision", "precision", "what matrix products are computed in"},
}};

using Words = std::span<const std::pair<std::int64_t, std::string_view>>;

template <class Enum>
constexpr std::pair<std::int64_t, std::string_view> word(Enum value, std::string_view text) {
  return {static_cast<std::int64_t>(value), text};
}
constexpr std::array sharding_words{word(StateSharding::none, "none"), word(StateSharding::optimizer, "optimizer"),
                                    word(StateSharding::gradients, "gradients"), word(StateSharding::weights, "fsdp")};
constexpr std::array schedule_words{
    word(ScheduleKind::none, "none"),
    word(ScheduleKind::gpipe, "gpipe"),
    word(ScheduleKind::one_f_one_b, "1f1b"),
    word(ScheduleKind::interleaved, "interleaved"),
    word(ScheduleKind::circular, "circular"),
    word(ScheduleKind::zero_bubble_1, "zb1p"),
    word(ScheduleKind::zero_bubble_2, "zb2p"),
    word(ScheduleKind::v_zero_bubble, "zbv"),
    word(ScheduleKind::v_half, "v-half"),
    word(ScheduleKind::v_min, "v-min"),
    word(ScheduleKind::dual_pipe_v, "dualpipe-v"),
};
constexpr std::array recompute_words{word(RecomputeLevel::none, "none"), word(RecomputeLevel::light, "light"),
                                     word(RecomputeLevel::heavy, "heavy"), word(RecomputeLevel::block, "block"),
                                     word(RecomputeLevel::full, "full")};

constexpr std::array precision_words{word(PlanPrecision::bf16, "bf16"), word(PlanPrecision::fp8, "fp8"),
                                     word(PlanPrecision::mxfp8, "mxfp8")};

Words words_of(PlanAxis axis) {
  if (axis == PlanAxis::sharding) return sharding_words;
  if (axis == PlanAxis::schedule) return schedule_words;
  if (axis == PlanAxis::recompute) return recompute_words;
  if (axis == PlanAxis::precision) return precision_words;
  return {};
}

/// The number of an axis that is one; null for enumerations.
std::int64_t Candidate::*member_of(PlanAxis axis) {
  constexpr std::array members{&Candidate::tensor,      &Candidate::pipeline, &Candidate::chunks,
                               &Candidate::context,     &Candidate::expert,   &Candidate::expert_tensor,
                               &Candidate::micro_batch, &Candidate::replicas};
  const auto index = static_cast<std::size_t>(axis);
  return index < members.size() ? members[index] : nullptr;
}

}  // namespace

std::span<const AxisName, plan_axes> axis_names() { return names; }

std::string_view label_of(PlanAxis axis) { return names[static_cast<std::size_t>(axis)].label; }

const AxisName* find_axis_name(std::string_view name) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const AxisName& axis) {
    return equal_ignoring_case(axis.name, name) || equal_ignoring_case(axis.label, name);
  });
  return found == names.end() ? nullptr : &*found;
}

std::int64_t value_on(const Candidate& candidate, PlanAxis axis) {
  if (const auto member = member_of(axis)) return candidate.*member;
  if (axis == PlanAxis::sharding) return static_cast<std::int64_t>(candidate.sharding);
  if (axis == PlanAxis::schedule) return static_cast<std::int64_t>(candidate.schedule);
  if (axis == PlanAxis::precision) return static_cast<std::int64_t>(candidate.precision);
  return static_cast<std::int64_t>(candidate.recompute);
}

void set_value(Candidate& candidate, PlanAxis axis, std::int64_t value) {
  if (const auto member = member_of(axis)) {
    candidate.*member = value;
  } else if (axis == PlanAxis::sharding) {
    candidate.sharding = static_cast<StateSharding>(value);
  } else if (axis == PlanAxis::schedule) {
    candidate.schedule = static_cast<ScheduleKind>(value);
  } else if (axis == PlanAxis::precision) {
    candidate.precision = static_cast<PlanPrecision>(value);
  } else {
    candidate.recompute = static_cast<RecomputeLevel>(value);
  }
}

std::string value_text(PlanAxis axis, std::int64_t value) {
  for (const auto& [number, text] : words_of(axis)) {
    if (number == value) return std::string(text);
  }
  return fmt::format("{}", value);
}

std::optional<std::int64_t> parse_value(PlanAxis axis, std::string_view text) {
  const Words words = words_of(axis);
  for (const auto& [number, name] : words) {
    if (equal_ignoring_case(name, text)) return number;
  }
  if (!words.empty()) return std::nullopt;
  const auto value = whole_number(text);
  return value && *value >= 1 && *value <= most ? value : std::nullopt;
}

std::string value_help(PlanAxis axis) {
  const Words words = words_of(axis);
  if (words.empty()) return fmt::format("a whole number from 1 to {}", most);
  std::string out;
  for (const auto& entry : words) {
    if (!out.empty()) out += ", ";
    out += entry.second;
  }
  return out;
}

std::string layout_text(const Candidate& candidate) {
  std::string out;
  for (const PlanAxis axis : {PlanAxis::tensor, PlanAxis::pipeline, PlanAxis::chunks, PlanAxis::context,
                              PlanAxis::expert, PlanAxis::expert_tensor}) {
    const std::int64_t value = value_on(candidate, axis);
    const bool shown = axis == PlanAxis::expert_tensor ? value != candidate.tensor && candidate.expert > 1 : value > 1;
    if (!shown) continue;
    if (!out.empty()) out += " x ";
    out += fmt::format("{} {}", label_of(axis), value);
  }
  return out.empty() ? "no model parallelism" : out;
}

std::string settings_text(const Candidate& candidate, bool always_recomputes) {
  std::string out = fmt::format("micro-batch {}", candidate.micro_batch);
  constexpr std::array<std::string_view, 4> shardings{"no sharding", "distributed optimizer", "sharded gradients",
                                                      "FSDP"};
  const bool whole = candidate.replicas > 1 && candidate.replicas == data_parallel(candidate) / candidate.expert;
  const bool alone = data_parallel(candidate) * candidate.context == 1 && candidate.expert == 1;
  out += fmt::format(", {}", whole || alone ? shardings[0] : shardings[static_cast<std::size_t>(candidate.sharding)]);
  if (candidate.replicas > 1 && !whole) out += fmt::format(" in {} copies", candidate.replicas);
  if (candidate.pipeline > 1)
    out += fmt::format(", {}", value_text(PlanAxis::schedule, static_cast<std::int64_t>(candidate.schedule)));
  if (candidate.split == StageSplit::ends)
    out += one_is_singular(fmt::format(", {} layers first and {} last", candidate.first_layers, candidate.last_layers));
  if (candidate.split == StageSplit::dealt) out += ", stages by layout";
  const bool recomputes = candidate.recompute != RecomputeLevel::none;
  out += recomputes          ? fmt::format(", recompute {}", to_string(candidate.recompute))
         : always_recomputes ? ", least recompute"
                             : ", no recompute";
  if (candidate.recompute == RecomputeLevel::block) out += fmt::format(" {}", candidate.recompute_layers);
  if (candidate.precision != PlanPrecision::as_given)
    out += fmt::format(", {}", value_text(PlanAxis::precision, static_cast<std::int64_t>(candidate.precision)));
  return out;
}

}  // namespace primus_plan
