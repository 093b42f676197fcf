#pragma once

#include <string>
#include <vector>

#include "primus_plan/diagnostics/finding.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// One finding as text: the sentence, the source line with a caret, related places, reasons and ways out. A finding
/// without a place of its own is shown at `fallback`; without that either, only `path` is named.
std::string finding_to_text(const Finding& finding, const Origin& fallback, const std::string& path,
                            const TextStyle& style);

/// The text with its middle left out when it is longer than anybody reads: a value may fill a file.
std::string shortened(std::string text);

/// What stands at the mark: the label's text, else "set here" or "set here by the model preset".
std::string label_to_text(const Label& label);

/// What the runtime does, and where: "Megatron stops (AssertionError; megatron/training/arguments.py:validate_args)".
std::string runtime_to_text(const RuleInfo& rule);

/// What stands below a finding's sentence, a line each: how its numbers came about, "help: …", "runtime: …".
std::vector<std::string> reasons_and_ways_out(const Finding& finding);

/// The finding as one that a change brought: "new: " stands before it.
std::string new_finding_to_text(const Finding& finding, const Analysis& analysis, const TextStyle& style);

}  // namespace primus_plan
