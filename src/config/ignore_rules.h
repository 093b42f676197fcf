#pragma once

#include <span>

#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::loading {

extern const RuleInfo ignore_without_reason;
extern const RuleInfo ignore_of_unknown_rule;
extern const RuleInfo unused_ignore;

/// The rules above: what can be wrong with comments that silence rules.
std::span<const RuleInfo* const> ignore_rules();

}  // namespace primus_plan::loading
