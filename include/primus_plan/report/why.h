#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/estimate/unfold.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One key whose history is asked for.
struct FoundKey {
  std::string key;                 ///< dotted, as the module's params hold it
  const Module* module = nullptr;  ///< null for the experiment's own keys
  const Entry* entry = nullptr;    ///< null when nobody sets the key but the runtime has a value for it
  const Analysis* analysis = nullptr;
};

/// Every place where an experiment holds a key: `key` and `module.key` name a module's value, dots reach into mappings;
/// the experiment's own keys are found too. `analyses` are those of the experiment's modules, in order.
std::vector<FoundKey> find_key(const Experiment& experiment, const std::vector<Analysis>& analyses,
                               std::string_view key);

/// At most three keys of the experiment that `key` may be a slip of, best first.
std::vector<std::string> nearest_keys(const Experiment& experiment, const std::vector<Analysis>& analyses,
                                      std::string_view key);

/// The history of a value: a line for each layer that wrote it, weakest first, the winner last, then what the runtime
/// makes of it.
std::string why_to_text(const FoundKey& found, const TextStyle& style);

/// A number of the estimates: its formula and inputs, each with the key that it comes from and where that was set.
std::string why_to_text(const UnfoldedNumber& number, const Analysis& analysis, const TextStyle& style);

}  // namespace primus_plan
