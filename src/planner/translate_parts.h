#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "primus_plan/planner/trial.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// A run in terms that all frameworks share.
struct Common {
  const Workload& workload;
  Degrees degrees;
  Launch launch;
  std::int64_t global = 0;
  std::int64_t sequence_length = 0;
  std::int64_t pass = 0;    ///< samples that a rank takes through the model, or a pipeline stage, at once
  std::int64_t passes = 0;  ///< of them in a step
};
Common common_terms(const Analysis& analysis);

/// What a translation collects.
struct Carried {
  std::vector<KeyValue> values;
  std::set<std::string, std::less<>> read;  ///< keys of the source that are said in the other framework
  std::vector<std::string> remarks;

  void set(std::string_view key, NodePtr value) { values.push_back({std::string(key), std::move(value)}); }
};

/// A number that all frameworks have, and what one of them takes where nothing sets it: no experiment says it then, and
/// yet the run has it.
struct CarriedNumber {
  std::string_view key;
  std::optional<double> fallback;  ///< nothing: null, and the framework wants it set or the schedule derives it
  std::optional<double> off = {};  ///< what switches off what the number is of, and, where it is 0, all below
};
/// lr, weight decay, betas, epsilon, clipping, steps.
inline constexpr std::size_t carried_numbers = 7;

/// The keys of a learning-rate schedule beside lr and steps, with what the framework takes where nothing sets them.
struct ScheduleDefaults {
  double warmup = 0;       ///< steps, or MaxText's part of the schedule
  double final_rate = 0;   ///< Megatron's min_lr, or a part of the highest
  std::string_view decay;  ///< "linear"
};

/// One framework's words for a run.
struct TranslateWords {
  std::string_view framework;
  std::array<CarriedNumber, carried_numbers> numbers;
  ScheduleDefaults schedule;
  std::string_view low_precision;                ///< how fp8 is asked for
  std::span<const std::string_view> understood;  ///< keys that degrees, batch, recompute and sharding are read from
  void (*degrees)(const Common& run, const Backend& target, Carried& out);
  void (*batch)(const Common& run, Carried& out);
  void (*recompute)(const Common& run, Carried& out);
  void (*sharding)(const Common& run, Carried& out);
};
extern const TranslateWords megatron_words;
extern const TranslateWords torchtitan_words;
extern const TranslateWords maxtext_words;
std::span<const TranslateWords* const> translate_words();

/// Asks for the degrees; those of 1 are left to the target's presets, which have 1 too. Throws TranslateError for
/// degrees that the target cannot have.
void ask_for(Degrees degrees, const Launch& launch, const Backend& target, Carried& out);
bool is_sharded(const Common& run);

/// Layers that are named one by one for full recompute (LayerKind::recomputed).
std::int64_t named_layers(const Common& run);
/// What differs where every layer is recomputed by itself: `target` is what does that ("TorchTitan's full").
void tell_full_recompute(const Common& run, std::string_view target, Carried& out);

/// What a number of the source comes to: the module's, else the framework's default; null where there is neither.
NodePtr number_of(const Module& module, const CarriedNumber& number);

/// The format that GEMMs compute in, and what is told of the weights' own.
void carry_precision(const Workload& run, const TranslateWords& to, Carried& out);

/// Warm-up, length and the end of the learning-rate schedule: iterations, steps or parts of the schedule.
void carry_schedule(const Module& module, const TranslateWords& from, const TranslateWords& to, Carried& out);

}  // namespace primus_plan
