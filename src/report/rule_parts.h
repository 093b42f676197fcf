#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/rule.h"
#include "primus_plan/report/rules.h"

namespace primus_plan {

/// The letters that begin the ids of one part of the tool.
struct RuleOwner {
  std::string_view letters;
  std::string_view name;   ///< the backend's name, or a word
  std::string_view title;  ///< for headings
};
std::span<const RuleOwner> rule_owners();

/// The explanation's paragraphs.
std::vector<std::string> explanation_paragraphs(const RuleInfo& rule);

/// "on 8 GPUs with NAME=value".
std::string example_conditions(const Example& example);

/// Where the pinned framework decides; empty for advice.
std::string source_of(const RuleInfo& rule);

/// Why the pinned framework has nothing to say of a rule of stage advice, in one sentence: it would run on, or, for
/// errors, nothing of the run was judged.
std::string_view without_runtime(const RuleInfo& rule);

/// The finding's ways out: help lines and the titles of edits.
std::vector<std::string> ways_out(const Finding& finding);

}  // namespace primus_plan
