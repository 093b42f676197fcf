#include <fmt/core.h>

#include "planner/translate_parts.h"
#include "primus_plan/estimate/step_time.h"

namespace primus_plan {
namespace {

std::string_view name_of(NumberFormat format) { return name_of(Precision{.compute = format}); }

void compute_in_fp32(const TranslateWords& to, Carried& out) {
  if (to.framework == "megatron") {
    out.set("bf16", make_boolean(false));
  } else if (to.framework == "torchtitan") {
    out.set("training.mixed_precision_param", make_string("float32"));
  } else {
    out.set("dtype", make_string("float32"));
    out.set("weight_dtype", make_string("float32"));
  }
}

}  // namespace

void carry_precision(const Workload& run, const TranslateWords& to, Carried& out) {
  const NumberFormat compute = run.precision.compute;
  if (compute == NumberFormat::fp32) {
    compute_in_fp32(to, out);
    return;
  }
  if (compute == NumberFormat::fp8 || compute == NumberFormat::fp4) {
    out.remarks.push_back(fmt::format("the run computes in {}: the translation computes in bf16 until {} is set",
                                      name_of(compute), to.low_precision));
  } else if (compute != NumberFormat::bf16) {
    out.remarks.push_back(fmt::format("precision: the run computes in {}, the translation in bf16", name_of(compute)));
  }
  // The formats that the presets keep the optimizer's weights in.
  const NumberFormat kept = to.framework == "maxtext" ? NumberFormat::bf16 : NumberFormat::fp32;
  if (run.precision.main_weights != kept) {
    out.remarks.push_back(fmt::format("precision: the optimizer's weights are {} here, {} in the original{}",
                                      name_of(kept), name_of(run.precision.main_weights),
                                      to.framework == "maxtext" ? " (weight_dtype)" : ""));
  }
}

}  // namespace primus_plan
