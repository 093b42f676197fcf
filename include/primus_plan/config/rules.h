#pragma once

#include <span>

#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::loading {

/// Rules of loading (CFxxx). They have no check function: the loader itself reports them. One constant a kind of fault,
/// all listed by `all()`.
std::span<const RuleInfo* const> all();

}  // namespace primus_plan::loading
