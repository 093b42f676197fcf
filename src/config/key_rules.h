#pragma once

#include <span>

#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::loading {

extern const RuleInfo key_beside_overrides;
extern const RuleInfo override_without_change;
extern const RuleInfo model_preset_loses;
extern const RuleInfo key_at_top_level;
extern const RuleInfo number_read_otherwise;
extern const RuleInfo variable_changes_type;
extern const RuleInfo variable_exported_late;

/// The rules above: keys and values of an experiment that do not do what they look like, whatever its framework.
std::span<const RuleInfo* const> key_rules();

}  // namespace primus_plan::loading
