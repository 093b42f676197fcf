// Any bytes as an experiment that is estimated, and planned for in a small space.
#include "primus_plan/estimate/estimate.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/target.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/plan.h"

namespace {

using namespace primus_plan;  // NOLINT(google-build-using-namespace): one small program

bool is_amount(double number) { return std::isfinite(number) && number >= 0; }

void check_step(const StepEstimate& step) {
  fuzz::require(is_amount(step.seconds) && is_amount(step.high_seconds), "time is an amount");
  for (const double part : step.parts) fuzz::require(is_amount(part), "so are its parts");
}

void check_estimate(const Workload& workload, const Hardware& hardware) {
  const Estimate estimate = estimate_run(workload, &hardware);
  for (const StageMemory& stage : estimate.memory.stages) {
    for (const double part : stage.parts) fuzz::require(is_amount(part), "memory is an amount");
  }
  fuzz::require(is_amount(estimate.memory.device.low) && is_amount(estimate.memory.device.high),
                "so are the ends of its interval");
  check_step(estimate.step);
  check_step(estimate_step(workload, hardware));  // by the closed form of the schedule
}

void check_plan(const Experiment& experiment, const Environment& environment, const Hardware& hardware) {
  for (const Module& module : experiment.modules) {
    const std::unique_ptr<Prepared> prepared = prepare(module, environment);
    if (prepared == nullptr) continue;
    PlanRequest request;
    request.worlds = {8};
    request.task = {.global_batch = 32, .sequence_length = 1024};
    request.hardware = hardware;
    request.allowed = {{PlanAxis::tensor, {1, 2}},   {PlanAxis::pipeline, {1, 2}}, {PlanAxis::chunks, {1, 2}},
                       {PlanAxis::context, {1}},     {PlanAxis::expert, {1, 2}},   {PlanAxis::expert_tensor, {1}},
                       {PlanAxis::micro_batch, {1}}, {PlanAxis::replicas, {1}}};
    request.top = 1;
    const PlanResult result = make_plan(*prepared, request);
    for (const PlanPoint& point : result.points) {
      fuzz::require(is_amount(point.seconds) && is_amount(point.memory.expected), "plans have finite numbers");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFiles files;
  static const Environment environment;
  static const Loader loader(files, environment);
  static const Hardware hardware = find_hardware("MI300X", files);
  const std::string text(fuzz::text_of(data, size));
  for (const Experiment& experiment : loader.load_text("experiment.yaml", text, {}).experiments) {
    const Launch launch{.world_size = 8, .nodes = 1, .gpus_per_node = 8, .source = {}, .assumed = false};
    for (const Analysis& module : analyze(experiment, launch, environment, {.with_workload = true})) {
      if (module.workload != nullptr) check_estimate(*module.workload, hardware);
    }
    check_plan(experiment, environment, hardware);
  }
  return 0;
}
