#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/estimate/estimate.h"

namespace primus_plan {

/// A value put in a key's place; dotted below a section.
struct KeyValue {
  std::string key;
  NodePtr value;
};

/// What is asked of a run, in words that know no backend. 0 and empty: as the module has it.
struct Wish {
  std::int64_t world_size = 0;
  std::int64_t nodes = 0;
  Degrees degrees{.tensor = 0, .pipeline = 0, .virtual_pipeline = 0, .context = 0, .expert = 0, .expert_tensor = 0};
  std::int64_t micro = 0;
  std::int64_t global = 0;
  std::int64_t sequence_length = 0;
  std::vector<KeyValue> keys;  ///< the backend's own
};

/// One run that was tried.
struct Trial {
  std::vector<KeyValue> changes;     ///< keys that were set for it
  Analysis analysis;                 ///< with text only where it was asked for
  std::optional<Estimate> estimate;  ///< of a run without errors whose model is known

  bool is_legal() const { return analysis.errors == 0; }
  bool fits() const { return estimate && estimate->fit && *estimate->fit != Fit::does_not_fit; }
  /// The same of what is counted, where the config leaves something out: estimate->fit is then known only as too much.
  bool may_fit() const {
    return estimate && !estimate->memory.stages.empty() && estimate->fit.value_or(Fit::fits) != Fit::does_not_fit;
  }
};

/// Tries a module with other degrees, batches, launches and values: each through the backend's own derivations and
/// rules, then through the estimates. Pure; may be used from many threads. Keeps references to what it is given.
class Trials {
 public:
  /// `base` is the module's own analysis at its launch; `hardware` may be null: no times then.
  Trials(const Backend& backend, const Module& module, const Environment& environment, const Analysis& base,
         const Hardware* hardware)
      : backend_(backend), module_(module), environment_(environment), base_(base), hardware_(hardware) {}

  const Analysis& base() const { return base_; }
  const Hardware* hardware() const { return hardware_; }
  /// "megatron" …
  std::string_view framework() const { return backend_.name(); }

  /// Keys and values that ask for these degrees, for the batch as it comes out with them. Nothing when the backend
  /// cannot express them.
  std::optional<std::vector<KeyValue>> keys_for(const Wish& wish) const;
  /// Nothing when the backend cannot express the wish.
  std::optional<Trial> run(const Wish& wish, bool with_text = false) const;
  /// The module as it is after the changes of a trial.
  Module changed(const std::vector<KeyValue>& changes) const;

 private:
  Launch launch_of(const Wish& wish) const;
  bool add_degrees(const Wish& wish, std::vector<KeyValue>& out) const;
  bool add_virtual_pipeline(std::int64_t chunks, std::vector<KeyValue>& out) const;
  bool add_batch(const Wish& wish, const Launch& launch, std::vector<KeyValue>& out) const;
  Analysis decide(const std::vector<KeyValue>& changes, const Launch& launch, const AnalyzeOptions& options) const;

  const Backend& backend_;
  const Module& module_;
  const Environment& environment_;
  const Analysis& base_;
  const Hardware* hardware_;
};

/// The launch with another number of GPUs or of nodes (full ones); 0: as it is.
Launch changed_launch(Launch launch, std::int64_t world_size, std::int64_t nodes);

/// A YAML value of a backend's override ("8", "Interleaved1F1B", "-1") as a node.
NodePtr override_value(const std::string& text);

}  // namespace primus_plan
