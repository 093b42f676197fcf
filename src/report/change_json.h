#pragma once

#include <string_view>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/planner/compare.h"
#include "report/json_writer.h"

namespace primus_plan {

/// Parts of a change of a run, as `what-if` tells it: once, and in a session.

/// {"name", "before", "after"} for each number that differs; null for what could not be derived.
void write_number_changes(JsonWriter& json, const RunDescription& before, const RunDescription& after);
/// {"name", "unit", "before", "after"}; null on a side without an estimate.
void write_estimate_change(JsonWriter& json, const EstimateDifference& row);
void write_findings(JsonWriter& json, std::string_view key, const std::vector<const Finding*>& findings,
                    const Analysis& analysis);

}  // namespace primus_plan
