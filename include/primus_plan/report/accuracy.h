#pragma once

#include <string>

#include "primus_plan/estimate/accuracy.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// Error statistics by group, how well models' rows are ranked, what could not be estimated and why; with
/// `style.verbose` every row, with `style.quiet` memory and step time alone. `table` is what the rows are called.
std::string accuracy_to_text(const Accuracy& accuracy, const std::string& table, const TextStyle& style);

/// The same as tables in GitHub's Markdown, without a heading.
std::string accuracy_to_markdown(const Accuracy& accuracy, const TextStyle& style);

/// {"table", "rows", "memory": [{"group", "rows", "median", "ninth_tenth", "worst", "bias", "inside"}], "step": [...],
/// "step_by_part": [...], "step_by_framework": [...], "rankings": [{"model", "rows", "correlation"}], "comparisons":
/// [{"id", "figure", "measured", "low", "expected", "high", "error", "inside"}], "left_out": [{"id", "figure",
/// "reason"}]}. Errors are shares; memory in bytes, time in seconds.
std::string accuracy_to_json(const Accuracy& accuracy, const std::string& table);

}  // namespace primus_plan
