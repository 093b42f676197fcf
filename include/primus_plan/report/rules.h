#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/finding.h"
#include "primus_plan/diagnostics/rule.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// A rule's page of the manual, with what `check` says of its bad example where that is known.
struct RulePage {
  const RuleInfo* rule = nullptr;
  const Finding* finding = nullptr;
};

/// What is wrong, why, what the runtime does, an example that fires, how to fix it, the example mended, the source.
std::string rule_to_text(const RulePage& page, const TextStyle& style);
std::string rule_to_markdown(const RulePage& page);
/// {"id", "name", "severity", "stage", "owner", "runtime_site", "outcome", "summary", "explanation": [paragraph…],
/// "bad": {"world_size", "environment", "yaml"}, "good"}; with a finding also "message" and "help": [line…].
std::string rule_to_json(const RulePage& page);

/// A line for each rule: id, severity, name, summary.
std::string rules_to_text(std::span<const RuleInfo* const> rules, const TextStyle& style);
/// A table of the rules.
std::string rules_to_markdown(std::span<const RuleInfo* const> rules);
/// The whole manual: every page, by whose rules they are.
std::string manual_to_markdown(std::span<const RulePage> pages, const ToolInfo& tool);
/// An array of rules.
std::string rules_to_json(std::span<const RulePage> pages);

/// Whose rule it is, by the letters of its id: "megatron", "torchtitan", "maxtext", "loading", "launch", "fit".
std::string_view rule_owner(const RuleInfo& rule);

}  // namespace primus_plan
