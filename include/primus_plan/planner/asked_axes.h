#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "primus_plan/backends/candidates.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Values that no plan can have.
struct AxisTrouble {
  PlanAxis axis = PlanAxis::tensor;
  std::string why;  ///< a sentence without its end
};

/// Whether a part's fp8 is that of CDNA 3 (gfx942: MI300): no infinities, one zero, no microscaling.
bool has_nanoo_fp8(const Hardware& hardware);

/// Whether the values that a request names leave something to try on each axis by themselves: what the backend can
/// turn, what the part computes in, what divides the GPUs, what the model has. `framework` is its title, for the
/// sentence. What does not go together is left to the search and the rules.
std::optional<AxisTrouble> find_axis_trouble(const PlanRequest& request, const ModelShape& model,
                                             const PlanKnobs& knobs, std::string_view framework);

}  // namespace primus_plan
