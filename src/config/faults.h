#pragma once

#include <string>
#include <utility>
#include <vector>

#include "primus_plan/diagnostics/finding.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan {

/// A finding of the loader, with the rule's own severity.
inline Finding fault(const RuleInfo& rule, const Origin& where, std::string message, std::vector<std::string> help = {},
                     std::string label = "here") {
  Finding finding;
  finding.rule = &rule;
  finding.severity = rule.severity;
  finding.message = std::move(message);
  finding.primary = {where, where ? std::move(label) : std::string()};
  finding.help = std::move(help);
  return finding;
}

}  // namespace primus_plan
