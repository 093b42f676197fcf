#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "primus_plan/config/node.h"
#include "primus_plan/diagnostics/finding.h"
#include "primus_plan/run/rewrite.h"
#include "primus_plan/run/run.h"

namespace primus_plan {

struct Workload;
struct FitTarget;

/// What a module comes to: its worst finding above a note, or that no backend judges it.
enum class Verdict : std::uint8_t { ok, warning, error, not_checked };
/// "ok", "warning", "error", "not-checked".
std::string_view to_string(Verdict verdict);

/// How a module is judged.
struct AnalyzeOptions {
  bool with_text = true;           ///< false: only counts, verdict and numbers; no string is made
  const FitTarget* fit = nullptr;  ///< judge the estimated memory against this part (rules FTxxx); null: do not
  bool with_workload = false;      ///< fill Analysis::workload
  std::size_t legal_worlds = 0;    ///< how many legal worlds are looked for; 0: a few, and only for an illegal one
};

/// A world size at which a configuration is legal, with what the run would be there.
struct LegalWorld {
  std::int64_t nodes = 0;
  std::int64_t world_size = 0;
  std::int64_t data = 0;
  std::int64_t accumulation_steps = 0;
};

/// One key of a repair.
struct KeyChange {
  std::string key;                   ///< as the backend spells it, dotted below a section
  std::optional<std::int64_t> from;  ///< empty where the key is unset or null
  std::int64_t to = 0;
};

/// A change of one or two keys after which a run has no error.
struct Repair {
  std::vector<KeyChange> changes;
  std::int64_t tokens_per_step = 0;  ///< after it; 0 where it cannot be derived
};

/// Everything that is known of one module of an experiment at one launch size.
struct Analysis {
  std::string path;
  std::string module;
  std::string framework;
  std::string presets;
  Origin origin;  ///< the module's name in the experiment: where findings without a place of their own are shown
  bool is_judged = true;  ///< false: no checker has looked at it, so that without errors the verdict is not_checked
  Verdict verdict = Verdict::ok;
  RunDescription run;
  std::vector<std::pair<std::string, NodePtr>>
      effective;  ///< keys that the runtime derives or rewrites, with their final values
  std::vector<Rewrite> rewrites;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< how to read the numbers: "DP by the guide's formula …"
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::shared_ptr<const Workload> workload;  ///< what estimates read; only when asked for and the run is derivable
  std::vector<LegalWorld> legal_worlds;      ///< filled when the asked world is illegal, or asked for
  std::vector<Repair> repairs;               ///< the smallest ones, best first; filled by find_repairs
};

/// Makes counts and verdict those of the findings, after some were left out or made more or less severe.
void recount(Analysis& analysis);

}  // namespace primus_plan
