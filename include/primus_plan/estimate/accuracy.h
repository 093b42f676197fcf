#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "primus_plan/estimate/measured.h"
#include "primus_plan/estimate/step_time.h"

namespace primus_plan {

/// The built-in part that a row was measured on, with the network of its note ("800 Gb/s inter-node" is of a node).
/// Nothing for parts that have no file.
std::optional<Hardware> hardware_of_row(const MeasuredRow& row);

/// The step that is estimated for a row. Nothing for rows without a measured step, for runs that did not finish or did
/// not train all weights, and where facts are missing.
std::optional<StepEstimate> step_of_row(const MeasuredRow& row, const Workload& workload);

/// How far estimates are from measurements; errors are estimate / measured - 1.
struct ErrorStatistics {
  std::size_t count = 0;
  double median = 0;       ///< of the errors' sizes
  double ninth_tenth = 0;  ///< nine of ten errors are no larger
  double worst = 0;
  double bias = 0;  ///< median of the errors with their signs
};
ErrorStatistics error_statistics(std::span<const double> errors);

/// Spearman's rank correlation of two equally long lists; equal values share their mean rank. 0 when one is constant.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace primus_plan
