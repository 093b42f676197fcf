#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/estimate/fit.h"
#include "primus_plan/layout/rank_layout.h"
#include "primus_plan/planner/trial.h"
#include "primus_plan/report/choice.h"

namespace primus_plan::session {

/// What was asked for cannot be done: a sentence for the user. Nothing has changed.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a session is about. What it points to must outlive the session.
struct Subject {
  std::string path;  ///< as the user knows it
  std::string text;  ///< of the file, as it was read
  const Loader* loader = nullptr;
  ExperimentOptions experiment;  ///< without `sets`
  Choice choice;                 ///< which findings are told
  FitTarget part;                ///< the GPU to begin with
  std::string module;            ///< name; empty: the one that Primus would run
  Launch launch;                 ///< to begin with; settled (see settle_launch)
  std::size_t jobs = 1;          ///< threads of a search
};

/// A key with the value it was given.
struct KeySetting {
  std::string key;
  std::string value;  ///< YAML on one line
  std::string asked;  ///< the short names that it was set for, with a blank after each; empty for a key by itself

  bool operator==(const KeySetting&) const = default;
};

/// What differs from the file. Small: undo keeps many.
struct State {
  std::vector<KeySetting> keys;  ///< in the order they were first set
  std::int64_t world_size = 0;   ///< 0: as it was
  std::int64_t nodes = 0;
  std::string hardware;  ///< empty: as it was

  bool is_empty() const { return *this == State{}; }
  bool operator==(const State&) const = default;
  const KeySetting* find(std::string_view key) const;
  void set(KeySetting setting);
};

/// A state as it was judged.
struct Evaluation {
  LoadResult loaded;  ///< owner of what the rest points into
  std::vector<std::shared_ptr<const Source>> sources;
  std::vector<Analysis> analyses;  ///< of all modules
  std::size_t chosen = 0;          ///< the module that the session is about
  std::optional<Estimate> estimate;
  FitTarget part;

  const Experiment& experiment() const { return loaded.experiments.front(); }
  const Module& module() const { return experiment().modules[chosen]; }
  const Analysis& analysis() const { return analyses[chosen]; }
  const RunDescription& run() const { return analysis().run; }
  const Estimate* estimated() const { return estimate ? &*estimate : nullptr; }
  bool is_legal() const { return analysis().errors == 0; }
  bool fits() const { return estimate && estimate->fit && *estimate->fit != Fit::does_not_fit; }
};
using EvaluationPtr = std::shared_ptr<const Evaluation>;

/// The module that a session is about: the one of that name, else the one that Primus would run. Throws Refusal.
std::size_t find_module(const Experiment& experiment, const std::string& name);

/// Judges and estimates the experiment with the state's changes: as --set and the launch flags do. Throws Refusal for
/// what cannot be loaded, HardwareError for a part that nobody knows. Never for findings.
EvaluationPtr evaluate(const Subject& subject, const State& state);

/// The chosen module's values with the state's changes, not judged. Throws Refusal for what cannot be loaded.
NodePtr changed_params(const Subject& subject, const State& state);

/// Where ranks sit; nothing when they cannot be placed.
std::optional<RankLayout> layout_of(const Subject& subject, const Evaluation& run);

/// Tries changes from here.
Trials trials_from(const Subject& subject, const Evaluation& run);

}  // namespace primus_plan::session
