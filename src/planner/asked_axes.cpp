#include "primus_plan/planner/asked_axes.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "planner/space.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

using Int = std::int64_t;
using Values = std::vector<Int>;

template <class Enum>
Values numbers(const std::vector<Enum>& values) {
  Values out;
  for (const Enum value : values) out.push_back(static_cast<Int>(value));
  return out;
}

std::string words(PlanAxis axis, const Values& values, std::string_view between) {
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const Int value : values) out.push_back(value_text(axis, value));
  return join(out, between);
}

/// "PP 3" and "PP 3 or 5".
std::string asked(PlanAxis axis, const Values& values) {
  return fmt::format("{} {}", label_of(axis), words(axis, values, " or "));
}

bool only_one(const Values& values) {
  return std::ranges::all_of(values, [](Int value) { return value == 1; });
}

/// The sentence for one axis; empty where there is something to try.
class Asked {
 public:
  Asked(const PlanRequest& request, const ModelShape& model, const PlanKnobs& knobs, std::string_view framework)
      : request_(request), model_(model), knobs_(knobs), framework_(framework) {}

  std::string trouble(PlanAxis axis, const Values& values) const {
    switch (axis) {
      case PlanAxis::sharding:
        return of_words(axis, values, numbers(knobs_.shardings));
      case PlanAxis::schedule: {
        Values known = numbers(knobs_.schedules);
        known.insert(known.begin(), static_cast<Int>(ScheduleKind::none));
        return of_words(axis, values, known);
      }
      case PlanAxis::recompute:
        return of_words(axis, values, numbers(knobs_.recompute));
      case PlanAxis::precision:
        return of_precisions(values);
      case PlanAxis::micro_batch:
        if (request_.task.global_batch > 0 && std::ranges::min(values) > request_.task.global_batch)
          return fmt::format("a step has {} only", counted(request_.task.global_batch, "sample"));
        return {};
      default:
        return of_degrees(axis, values);
    }
  }

 private:
  std::string of_precisions(const Values& values) const {
    const Hardware& part = request_.hardware;
    const auto names = [&](PlanPrecision one) {
      return std::ranges::find(values, static_cast<Int>(one)) != values.end();
    };
    if (!part.computes({.compute = NumberFormat::fp8}) && (names(PlanPrecision::fp8) || names(PlanPrecision::mxfp8)))
      return fmt::format("{} does not compute in fp8", part.name);
    if (!part.has_microscaling() && names(PlanPrecision::mxfp8))
      return fmt::format("{} has no microscaling formats; fp8 it has", part.name);
    return of_words(PlanAxis::precision, values, numbers(knobs_.precisions));
  }

  std::string of_words(PlanAxis axis, const Values& values, const Values& known) const {
    for (const Int value : values) {
      if (std::ranges::find(known, value) == known.end())
        return fmt::format("{} takes {} {}", framework_, label_of(axis), words(axis, known, ", "));
    }
    return {};
  }

  std::string of_degrees(PlanAxis axis, const Values& values) const {
    if (axis == PlanAxis::expert_tensor && !can_turn(knobs_, axis))
      return fmt::format("{} cuts experts by the tensor parallel degree of the rest; pin tp", framework_);
    if (only_one(values)) return {};
    if (!can_turn(knobs_, axis)) return fmt::format("{} has no {} that a plan can turn", framework_, label_of(axis));
    const bool of_experts = axis == PlanAxis::expert || axis == PlanAxis::expert_tensor;
    if (of_experts && model_.experts < 1)
      return fmt::format("the model has no experts, so that {} is 1", label_of(axis));
    if (axis == PlanAxis::chunks) return of_stages(axis, values);
    if (axis == PlanAxis::expert && none_of(values, [&](Int value) { return model_.experts % value == 0; }))
      return fmt::format("{} does not divide the model's {} experts", asked(axis, values), model_.experts);
    if (none_of(values, [&](Int value) { return divides_a_world(value); })) {
      return one_is_singular(
          fmt::format("{} does not divide {} GPUs", asked(axis, values), words(axis, request_.worlds, " or ")));
    }
    return axis == PlanAxis::pipeline ? of_stages(axis, values) : std::string();
  }

  std::string of_stages(PlanAxis axis, const Values& values) const {
    const Int layers = model_.layers - knobs_.layers_outside_pipeline;
    if (std::ranges::min(values) <= layers) return {};
    return fmt::format("{} leaves a stage without a layer: the model has {}{}", asked(axis, values),
                       counted(layers, "layer"), knobs_.layers_outside_pipeline > 0 ? " in the pipeline" : "");
  }

  bool divides_a_world(Int value) const {
    return std::ranges::any_of(request_.worlds, [value](Int world) { return world % value == 0; });
  }

  template <class Fits>
  static bool none_of(const Values& values, Fits&& fits) {
    return std::ranges::none_of(values, fits);
  }

  const PlanRequest& request_;
  const ModelShape& model_;
  const PlanKnobs& knobs_;
  std::string_view framework_;
};

}  // namespace

bool has_nanoo_fp8(const Hardware& hardware) {
  return hardware.name.starts_with("MI30") || hardware.name.starts_with("MI32");
}

std::optional<AxisTrouble> find_axis_trouble(const PlanRequest& request, const ModelShape& model,
                                             const PlanKnobs& knobs, std::string_view framework) {
  const Asked asked(request, model, knobs, framework);
  for (const auto& [axis, values] : request.allowed) {
    if (values.empty()) continue;
    std::string why = asked.trouble(axis, values);
    if (!why.empty()) return AxisTrouble{axis, std::move(why)};
  }
  return std::nullopt;
}

}  // namespace primus_plan
