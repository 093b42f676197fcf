#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "planner/space.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/written_plan.h"

namespace primus_plan::test {

/// A model's experiment, prepared.
class Subject {
 public:
  explicit Subject(const std::string& framework, const std::string& model) : framework_(framework), model_(model) {
    loaded_ = loader_.load_text("e.yaml", experiment_around(framework, model), {});
    prepared_ = prepare(loaded_.experiments.at(0).modules.at(0), environment_);
  }
  const Prepared& operator*() const { return *prepared_; }
  const Prepared* operator->() const { return prepared_.get(); }

  PlanRequest request(std::int64_t world, std::int64_t global_batch, std::int64_t sequence) const {
    PlanRequest out;
    out.worlds = {world};
    out.task = {.global_batch = global_batch, .sequence_length = sequence};
    out.hardware = find_hardware("MI300X", files_);
    return out;
  }

  /// What `check` says of the experiment with these overrides.
  std::vector<Analysis> check(const CandidateOverrides& overrides, std::int64_t world, const AnalyzeOptions& how = {}) {
    ExperimentOptions options;
    options.sets = overrides;
    checked_ = loader_.load_text("e.yaml", experiment_around(framework_, model_), options);
    if (checked_.experiments.empty()) return {};
    return analyze(checked_.experiments[0], assume_launch(world, 8), environment_, how);
  }

 private:
  std::string framework_;
  std::string model_;
  MemoryFiles files_;
  Environment environment_;
  Loader loader_{files_, {}};
  LoadResult loaded_;
  LoadResult checked_;
  std::unique_ptr<Prepared> prepared_;
};

inline PlanSubject known_of(const Subject& subject, PlanRequest& request) {
  const Analysis base =
      subject->decide(assume_launch(request.worlds.back(), 8), {.with_text = false, .with_workload = true});
  request.task.layers = base.workload->model.layers;
  request.task.mtp_layers = base.workload->model.mtp_depth;
  return {base.workload->model, subject->plan_knobs()};
}

}  // namespace primus_plan::test
