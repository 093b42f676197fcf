#include "primus_plan/backends/guide_formula.h"

#include <fmt/core.h>

#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

/// world / (TP x PP x EP); 0 when that is not whole.
std::int64_t guide_data_parallel(std::int64_t world, const Degrees& degrees) {
  const std::int64_t divisor =
      saturating_multiply(saturating_multiply(degrees.tensor, degrees.pipeline), degrees.expert);
  return divisor > 0 && world % divisor == 0 ? world / divisor : 0;
}

std::string guide_text(std::int64_t guide) {
  return guide > 0 ? fmt::format("DP {} is world / (TP x PP x EP), the formula of the Primus guide", guide)
                   : std::string("world / (TP x PP x EP), the formula of the Primus guide, is no whole number here");
}

void show_in_megatron(Analysis& analysis) {
  RunDescription& run = analysis.run;
  const std::int64_t guide = guide_data_parallel(run.launch.world_size, run.degrees);
  std::string runs = run.degrees.data > 0 ? fmt::format("DP {}", run.degrees.data) : "DP";
  runs += " = world / (TP x PP x CP)";
  if (const std::int64_t steps = run.batch.accumulation_steps; steps > 0) {
    runs += fmt::format(" and {}", counted(steps, "accumulation step"));
    const std::int64_t per_step = saturating_multiply(run.batch.micro, guide);
    const bool divides = per_step > 0 && run.batch.global % per_step == 0;
    run.batch.accumulation_steps = divides ? run.batch.global / per_step : 0;
  }
  run.degrees.data = guide;
  analysis.notes.push_back(fmt::format("{}; Megatron itself uses {}", guide_text(guide), runs));
}

void show_in_torchtitan(Analysis& analysis) {
  analysis.notes.emplace_back(
      "the guide's DP formula is Megatron's: TorchTitan's data-parallel degree is replicate x shard");
}

void show_in_maxtext(Analysis& analysis) {
  RunDescription& run = analysis.run;
  const std::int64_t guide = guide_data_parallel(run.launch.world_size, run.degrees);
  analysis.notes.push_back(
      fmt::format("{}; MaxText splits samples over {} ranks, and its global batch is devices x per_device_batch_size x "
                  "gradient_accumulation_steps",
                  guide_text(guide), run.degrees.data));
  run.degrees.data = guide;
}

struct Shown {
  std::string_view framework;
  void (*show)(Analysis&);
};
constexpr Shown frameworks[] = {
    {"megatron", show_in_megatron}, {"torchtitan", show_in_torchtitan}, {"maxtext", show_in_maxtext}};

}  // namespace

void show_guide_formula(Analysis& analysis) {
  if (!analysis.is_judged) return;
  for (const Shown& one : frameworks) {
    if (one.framework == analysis.framework) one.show(analysis);
  }
}

}  // namespace primus_plan
