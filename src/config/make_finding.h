#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// More remarks on one document than this help nobody, and hostile files could ask for millions.
inline constexpr std::size_t most_remarks = 1000;

/// A finding of `rule` at its own severity.
inline Finding make_finding(const RuleInfo& rule, const Origin& where, std::string message,
                            std::vector<Label> related = {}) {
  Finding result;
  result.rule = &rule;
  result.severity = rule.severity;
  result.message = std::move(message);
  result.primary.origin = where;
  result.related = std::move(related);
  return result;
}

}  // namespace primus_plan
