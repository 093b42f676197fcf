#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/layout/rank_layout.h"

namespace primus_plan {

/// One number of a run. `always` ones are shown even when they stay.
struct RunNumber {
  std::string_view name;
  std::int64_t (*value)(const RunDescription& run);
  bool always = false;
  bool trains = false;  ///< another number trains another model, or the same one on other data
};

/// The numbers that comparisons of runs show, in their order.
std::span<const RunNumber> run_numbers();

/// Findings of `list` that `others` does not have: another rule, or the same with other numbers.
std::vector<const Finding*> findings_missing_from(const std::vector<Finding>& list, const std::vector<Finding>& others);

/// What a difference of a value changes.
enum class Effect : std::uint8_t {
  trains,  ///< what is learned: model, data, optimizer, precision; and every key that nobody knows better
  runs,    ///< how the same is computed: degrees, recompute, overlap, kernels
  tells,   ///< what is written down: logs, checkpoints, profiles, names
  unread,  ///< nothing: neither the framework nor Primus reads the key
};
/// "trains", "runs", "tells", "unread".
std::string_view to_string(Effect effect);
/// By the words of the key, which somebody reads.
Effect effect_of(std::string_view key);

/// One side of a comparison.
struct ComparedRun {
  const Analysis& analysis;
  const Module& module;
  const Estimate* estimate = nullptr;  ///< null when the run cannot be estimated
  const RankLayout* layout = nullptr;  ///< null when its ranks cannot be placed
};

struct ValueDifference {
  std::string key;
  std::string before;  ///< as YAML text; empty where the key is not set
  std::string after;
  Effect effect = Effect::trains;
};

struct NumberDifference {
  std::string_view name;
  std::int64_t before = 0;  ///< 0: could not be derived
  std::int64_t after = 0;
  bool differs = false;
  bool trains = false;
};

/// An estimate on both sides; none where the side has no estimate. A 0 is known to be 0 (a bubble without stages).
struct EstimateDifference {
  std::string_view name;  ///< "memory of the fullest GPU", …
  std::string_view unit;  ///< "GiB", "s", "tokens/s/GPU", "%"
  std::optional<double> before;
  std::optional<double> after;
};

/// The estimates that either side has: parameters, memory, step, throughput, MFU, bubble. Null: none. An estimate that
/// lacks a fact which the other's counts (the vocabulary, say) is no side of a comparison, and left out.
std::vector<EstimateDifference> estimate_differences(const Analysis& before, const Estimate* before_estimate,
                                                     const Analysis& after, const Estimate* after_estimate);

/// What estimates of a run cannot count.
std::vector<std::string> uncounted(const Analysis& run);

/// What the comparison of two runs' estimates leaves out, in a sentence; nothing where they count everything. `names`:
/// what the two runs are called.
std::string uncounted_text(const Analysis& before, const Analysis& after,
                           const std::pair<std::string_view, std::string_view>& names);

/// Groups of one kind on both sides; size 0 where there are none.
struct GroupDifference {
  std::string name;
  std::int64_t size_before = 0, size_after = 0;
  std::int64_t crossing_before = 0, crossing_after = 0;  ///< groups with members on several nodes
};

/// Whether a run resumes from another's checkpoint.
enum class Resumes : std::uint8_t { yes, partly, no, unknown };
/// "yes", "in part", "no", "unknown".
std::string_view to_string(Resumes resumes);

struct CheckpointAnswer {
  Resumes resumes = Resumes::unknown;
  std::vector<std::string> reasons;  ///< sentences, the weightiest first
};

/// Whether a checkpoint that `before` writes loads in `after`, as the framework's checkpoint format allows.
/// Sources: Megatron-LM megatron/training/checkpointing.py:check_checkpoint_args, load_checkpoint, and
/// core/optimizer/distrib_optimizer.py:sharded_state_dict; TorchTitan components/checkpoint.py (torch.distributed
/// .checkpoint) and components/dataloader.py:load_state_dict; MaxText common/checkpointing.py (orbax) and
/// layers/pipeline.py, whose stages are axes of the weights.
CheckpointAnswer checkpoint_loads(const ComparedRun& before, const ComparedRun& after);

struct Comparison {
  std::vector<ValueDifference> values;    ///< those that train first, then those that run …; by key
  std::vector<NumberDifference> numbers;  ///< all that differ, and those that are always shown
  std::vector<EstimateDifference> estimates;
  std::vector<GroupDifference> groups;  ///< kinds that differ
  std::vector<const Finding*> gone;     ///< of the first run only
  std::vector<const Finding*> fresh;    ///< of the second run only
  CheckpointAnswer checkpoint;
  bool other_framework = false;  ///< then keys are not compared
  bool trains_the_same = true;

  bool is_same() const { return trains_the_same && values.empty() && !other_framework && !any_number_differs(); }
  bool any_number_differs() const;
};

/// Compares two runs. Pure. Between frameworks keys mean nothing: numbers, model and estimates decide.
Comparison compare_runs(const ComparedRun& before, const ComparedRun& after);

/// Where two models differ, a clause each ("layers 32 and 80"); empty for equal ones.
std::vector<std::string> model_differences(const ModelShape& before, const ModelShape& after);

}  // namespace primus_plan
