#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/planner/axes.h"

namespace primus_plan {

/// What the best plan is best at.
enum class PlanObjective : std::uint8_t {
  throughput,  ///< tokens per second of a GPU
  memory,      ///< least memory
  gpus,        ///< fewest GPUs, then throughput
  latency,     ///< shortest step
};
/// "throughput" …
std::string_view to_string(PlanObjective objective);

/// What is asked of the planner.
struct PlanRequest {
  std::vector<std::int64_t> worlds;  ///< numbers of GPUs to try, ascending
  PlanTask task;                     ///< global batch, sequence, node; the model's layers are filled in
  Hardware hardware;
  std::map<PlanAxis, std::vector<std::int64_t>> allowed;  ///< axes not named are free
  PlanObjective objective = PlanObjective::throughput;
  std::size_t top = 5;
  bool min_change = false;        ///< plans with fewer changed keys first
  std::size_t jobs = 1;           ///< threads
  bool look_further = true;       ///< where nothing fits: fills in PlanResult::nearest
  std::optional<Launch> present;  ///< where the module as it stands is judged; nothing: at the largest of `worlds`
  /// The warnings that check gives the experiment with a plan in it, those about its file, nodes and memory among them;
  /// nothing where it cannot say. Empty: proposals have the warnings of the backend's own rules.
  std::function<std::optional<std::size_t>(const CandidateOverrides& overrides, std::int64_t world_size)>
      count_warnings;
};

/// Asked now and then from all threads.
struct PlanControl {
  std::function<bool()> stop;  ///< true: end with what is known
  /// Shares of the search that are done; called from one thread.
  std::function<void(std::size_t done, std::size_t of)> progress;
};

/// A legal candidate with what the estimates say of it.
struct PlanPoint {
  Candidate candidate;
  std::uint32_t order = 0;     ///< of the candidate in the space: breaks ties
  std::uint32_t warnings = 0;  ///< of the backend's own rules: what runs otherwise than it is written
  std::uint32_t changes = 0;   ///< keys that differ from the module, with PlanRequest::min_change; else 0
  Fit fit = Fit::fits;
  double seconds = 0;  ///< of a step
  double low_seconds = 0;
  double high_seconds = 0;
  double tokens_per_second_per_gpu = 0;
  double bubble_share = 0;
  MemoryRange memory;  ///< of the fullest GPU, everything
  /// Part of it that neither micro-batch nor recompute change: weights, optimizer, and gradients but for XLA's.
  double state_bytes = 0;
};

/// Why candidates were turned down.
struct Rejections {
  std::map<const RuleInfo*, std::size_t> by_rule;
  std::size_t too_large = 0;  ///< legal, but more memory than there is
  std::size_t unjudged = 0;   ///< larger than a candidate that does not fit, in a way that can only need more
};

/// A value next to the winner's on one axis.
struct Neighbour {
  PlanAxis axis = PlanAxis::tensor;
  std::int64_t from = 0;
  std::int64_t to = 0;
  const RuleInfo* rejected_by = nullptr;  ///< set: illegal, `point` says nothing
  PlanPoint point;
};

/// A plan that is proposed.
struct ProposedPlan {
  PlanPoint point;
  Estimate estimate;
  RunDescription run;
  std::vector<std::string> crossing;  ///< groups with ranks on several nodes: "TP", "DP" …
  CandidateOverrides overrides;       ///< to emit
  CandidateOverrides differences;     ///< of these, what differs from the module
  std::size_t changes = 0;            ///< how many these are
  std::size_t warnings = 0;           ///< of check, see PlanRequest::count_warnings
  bool is_present = false;            ///< nothing differs: it is the module as it stands
};

/// The module as it stands, at the launch that `run` has.
struct PresentPlan {
  bool is_legal = false;
  bool is_estimated = false;
  PlanPoint point;         ///< without a candidate
  std::string no_seconds;  ///< why it has no step time, where it fits
  RunDescription run;
};

/// The nearest question that has an answer, where the one asked has none.
struct NearestPlan {
  bool found = false;
  std::int64_t world_size = 0;
  std::int64_t global_batch = 0;
  PlanPoint point;
};

struct PlanResult {
  std::size_t space = 0;  ///< candidates in all
  /// Of `space`: turned down by rules, too large, or among `points`. Where degrees do not fit the world, all that have
  /// them are judged at once.
  std::size_t judged = 0;
  bool complete = true;             ///< false: stopped before the end
  std::vector<PlanPoint> points;    ///< every legal candidate that fits, best first
  bool always_recomputes = false;   ///< RecomputeLevel::none is the least that there is, not nothing
  std::size_t layouts = 0;          ///< different degrees among them
  std::vector<ProposedPlan> plans;  ///< the best of each of the first layouts
  /// The best of the second layout, among `plans` or not: what the first is compared with.
  std::optional<ProposedPlan> runner_up;
  std::vector<ProposedPlan> front;  ///< Pareto front of memory against throughput, least memory first
  std::vector<Neighbour> sensitivity;
  Rejections rejections;
  std::size_t indistinguishable = 0;  ///< layouts whose step time's interval overlaps the winner's expected time
  PlanPoint least_memory;             ///< where nothing fits: the legal candidate that needs least, of all
  bool has_least_memory = false;
  NearestPlan nearest;  ///< where nothing fits
  PresentPlan present;
  std::vector<std::string> notes;  ///< facts that the estimates lack, and what their times leave out
  std::string trouble;             ///< why nothing was searched: a sentence; empty otherwise
};

/// Searches all that is legal for a module. Pure but for what `control` does; the same result for any number of jobs
/// unless it is stopped. `module` must be the one that `prepared` was made from.
PlanResult make_plan(const Prepared& prepared, const PlanRequest& asked, const PlanControl& control = {});

}  // namespace primus_plan
