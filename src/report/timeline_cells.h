#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "primus_plan/estimate/timeline.h"
#include "report/cells.h"

namespace primus_plan {

/// A stretch of time, drawn over so many columns.
struct TimeWindow {
  double from = 0;
  double to = 0;
  std::size_t columns = 0;

  double shift = 0;           ///< what its labels say beyond the events' own times
  std::int64_t left_out = 0;  ///< micro-batches before it that the events do not have

  double column_seconds() const { return (to - from) / static_cast<double>(columns); }
};

/// The stretches of a picture of so many columns: the whole time; or, where filling and draining the pipeline is a
/// small part of it, these two with `gap_columns` between them. `seconds` is how long the pipeline takes, which is more
/// than the events show when they leave micro-batches out.
std::vector<TimeWindow> picture_windows(std::span<const PipelineEvent> events, double seconds, std::size_t columns);
inline constexpr std::size_t gap_columns = 3;

/// Whether passes are so short that a column holds several: they are drawn as shares of each column then.
bool is_dense(std::span<const PipelineEvent> events, const TimeWindow& window);

/// Characters and background of a pass: kinds differ, and so do neighbouring chunks of `chunks`.
Cell pass_cell(PassKind kind, std::int32_t chunk, std::int32_t chunks);
/// A column in which forward and backward passes take turns.
Cell mixed_cell();
Cell idle_cell();

/// The passes of one rank. Where a pass has room it carries the number of its micro-batch.
Cells pass_cells(std::span<const PipelineEvent> events, const TimeWindow& window, std::int32_t chunks, bool dense);

/// What bar heights stand for, and where the capacity is.
struct MemoryScale {
  double low = 0;
  double high = 0;
  double capacity = 0;  ///< 0: nobody knows
};
/// The most that a rank holds in each column, as bars of eight heights.
Cells memory_cells(std::span<const StageMemoryPoint> line, const TimeWindow& window, const MemoryScale& scale);
/// The lowest and the highest bar.
Cell memory_cell(double bytes, const MemoryScale& scale);

/// Marks at round times with their labels, in seconds or milliseconds.
Cells scale_cells(const TimeWindow& window, bool in_seconds);

}  // namespace primus_plan
