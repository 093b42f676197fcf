#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// What of a row is compared.
enum class Figure : std::uint8_t { memory, step };
/// "memory", "step time".
std::string_view to_string(Figure figure);

/// A published figure and what the estimates say of it: bytes or seconds.
struct Comparison {
  std::size_t row = 0;  ///< index into Accuracy::rows
  Figure figure = Figure::memory;
  double measured = 0;
  double low = 0;
  double expected = 0;
  double high = 0;

  double error() const { return expected / measured - 1; }
  bool is_inside() const { return low <= measured && measured <= high; }
};

/// A published figure that nothing can be compared with.
struct LeftOut {
  std::size_t row = 0;
  Figure figure = Figure::memory;
  std::string reason;
};

/// Rows that have something in common.
struct AccuracyGroup {
  std::string name;
  ErrorStatistics errors;
  std::size_t inside = 0;  ///< rows whose interval holds the measurement
};

/// Groups of the same comparisons by one property.
struct AccuracySection {
  std::string title;
  std::vector<AccuracyGroup> groups;
};

/// How well the estimated throughputs rank the rows of one model.
struct ModelRanking {
  std::string model;
  std::size_t rows = 0;
  double correlation = 0;
};
/// Models with fewer rows are not ranked: chance would decide.
inline constexpr std::size_t least_ranked_rows = 5;

/// A table of measurements with what the estimates say of it.
struct Accuracy {
  std::vector<MeasuredRow> rows;
  std::vector<Comparison> comparisons;  ///< in the order of the rows, memory before step time
  std::vector<LeftOut> left_out;
  AccuracySection memory;              ///< by how it was read
  AccuracySection step;                ///< dense and mixture-of-experts models
  AccuracySection hardware;            ///< step time by part
  AccuracySection framework;           ///< step time by framework
  std::vector<ModelRanking> rankings;  ///< by model, those with most rows first
  double median_correlation = 0;       ///< of the ranked models
  std::size_t well_ranked = 0;         ///< models with a correlation of at least 0.9
};

/// Estimates every row. A step time that a row lacks is taken from its throughput. Rows without a figure count for
/// nothing; figures that cannot be compared are left out with the reason.
Accuracy measure_accuracy(std::vector<MeasuredRow> rows);

}  // namespace primus_plan
