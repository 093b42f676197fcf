#pragma once

#include <optional>
#include <string>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/planner/new_experiment.h"

namespace primus_plan {

/// What an experiment is made for and from.
struct Making {
  const NewExperimentRequest& request;
  const GuessTask& task;
  const Loader& loader;
  const ExperimentOptions& options;
};

/// How check takes a text, and how much memory it is estimated to need.
struct Attempt {
  Verdict verdict = Verdict::ok;
  std::string message;  ///< the first error, else the first warning
  double bytes = 0;     ///< 0 where there is no estimate
  Fit fit = Fit::fits;
};

/// Checks and estimates a text, on the GPUs of the task.
Attempt try_out(const Making& making, const std::string& text);

/// The weight of an attempt: less is better; nothing for what is no experiment to hand out.
std::optional<int> weight_of(const Attempt& attempt);

/// The best of the experiments that were tried, and what is known of the others.
struct Tried {
  NewExperiment best;
  std::optional<int> weight;  ///< of `best`; nothing where no experiment is one to hand out
  std::string refusal;        ///< why nothing is legal, as far as known
  double least_bytes = 0;     ///< of the smallest legal layout; 0 where none is known

  /// A legal layout that needs so much of its fullest GPU.
  void add_need(double bytes);
  /// Whether an attempt of this weight would be the best.
  bool is_better(const std::optional<int>& other) const { return other && (!weight || *other < *weight); }
};

}  // namespace primus_plan
