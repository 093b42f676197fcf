#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/backends/candidates.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/diagnostics/rule.h"
#include "primus_plan/layout/rank_layout.h"

namespace primus_plan {

/// A module whose config has been read into the backend's typed struct once and can now be judged for any launch. Keeps
/// pointers into the Experiment and the Environment it came from.
class Prepared {
 public:
  virtual ~Prepared() = default;

  /// The runtime's derivations, then every rule. Pure; may be called from many threads.
  virtual Analysis decide(const Launch& launch, const AnalyzeOptions& options) const = 0;
  /// The smallest world size whose degrees fit together; 0 when no world does (a degree of 0, say).
  virtual std::int64_t smallest_world() const = 0;
  /// Ranks and groups at this launch. Only for launches whose degrees are legal.
  virtual RankLayout layout(const Launch& launch) const = 0;

  /// What a planner may turn.
  virtual PlanKnobs plan_knobs() const = 0;
  /// A judge of candidates that this module with `candidate_overrides` would be.
  virtual std::unique_ptr<CandidateJudge> candidate_judge(const PlanTask& task) const = 0;
  /// Overrides that turn this module into the candidate: degrees and batch always, other keys where they differ. With
  /// `only_changes`, only what differs.
  virtual CandidateOverrides candidate_overrides(const Candidate& candidate, const PlanTask& task,
                                                 bool only_changes) const = 0;
};

/// A training framework that Primus drives. A folder below backends/ holds one; registry.cpp lists them.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;    ///< as in `framework:`
  virtual std::string_view title() const = 0;   ///< "Megatron-LM"
  virtual std::string_view pinned() const = 0;  ///< the version the checks speak for
  /// `environment` holds the variables that the run itself will see, for rules about them.
  virtual std::unique_ptr<Prepared> prepare(const Module& module, const Environment& environment) const = 0;
  virtual std::vector<const RuleInfo*> rules() const = 0;
  /// KEY=VALUE overrides (dotted keys, YAML values) that ask for these degrees; 0 leaves a degree to the backend's
  /// default. `launch` says what a node holds, for backends that place degrees in nodes. Empty for degrees this backend
  /// cannot express.
  virtual std::vector<std::pair<std::string, std::string>> degree_overrides(const Degrees& degrees,
                                                                            const Launch& launch) const = 0;
};

/// All backends, in a fixed order.
std::span<const Backend* const> backends();
/// The backend for a `framework:` value; null when Primus may know it but this tool has no checker.
const Backend* find_backend(std::string_view framework);

/// Every rule of the tool: loading, topology, then each backend's.
std::vector<const RuleInfo*> all_rules();
/// The rule with this id (upper or lower case) or name; null when there is none.
const RuleInfo* find_rule(std::string_view id_or_name);

}  // namespace primus_plan
