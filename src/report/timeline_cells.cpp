#include "report/timeline_cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "primus_plan/estimate/fit.h"

namespace primus_plan {

namespace {

/// Seconds of a column by what its rank does.
struct Shares {
  double forward = 0;
  double backward = 0;
  double weight = 0;

  double busy() const { return forward + backward + weight; }
};

constexpr std::size_t tones = 4;
constexpr std::array<std::string_view, tones> forward_tones{"30;48;5;75", "30;48;5;111", "30;48;5;153", "30;48;5;189"};
constexpr std::array<std::string_view, tones> backward_tones{"30;48;5;71", "30;48;5;108", "30;48;5;151", "30;48;5;194"};
constexpr std::array<std::string_view, tones> weight_tones{"30;48;5;214", "30;48;5;221", "30;48;5;222", "30;48;5;230"};

/// Chunk 0 the darkest, the last of many the lightest.
std::size_t tone_of(std::int32_t chunk, std::int32_t chunks) {
  if (chunks <= 1) return 0;
  const std::int64_t tone = std::int64_t{chunk} * static_cast<std::int64_t>(tones) / chunks;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(tone, 0, static_cast<std::int64_t>(tones) - 1));
}

std::size_t column_at(double seconds, const TimeWindow& window) {
  const double column = (seconds - window.from) / window.column_seconds();
  return static_cast<std::size_t>(std::lround(std::clamp(column, 0.0, static_cast<double>(window.columns))));
}

Cells wide_cells(std::span<const PipelineEvent> events, const TimeWindow& window, std::int32_t chunks) {
  Cells out(window.columns, idle_cell());
  for (const PipelineEvent& event : events) {
    const std::size_t begin = column_at(event.start, window);
    const std::size_t end = column_at(event.end, window);
    const Cell cell = pass_cell(event.kind, event.chunk, chunks);
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(begin), out.begin() + static_cast<std::ptrdiff_t>(end), cell);
    // The number leaves a column for the kind.
    const std::string number = fmt::format("{}", window.left_out + event.micro_batch);
    if (event.start >= window.from && number.size() < end - begin) write_text(out, begin, number, cell.style);
  }
  return out;
}

Cell dense_cell(const Shares& shares, double seconds) {
  constexpr double present = 0.2;  // of the busy time
  const double busy = shares.busy();
  if (busy < seconds / 2) return idle_cell();
  if (shares.forward >= present * busy && shares.backward + shares.weight >= present * busy) return mixed_cell();
  if (shares.forward >= shares.backward + shares.weight) return pass_cell(PassKind::forward, 0, 1);
  return pass_cell(shares.weight > shares.backward ? PassKind::backward_weight : PassKind::backward, 0, 1);
}

Cells dense_cells(std::span<const PipelineEvent> events, const TimeWindow& window) {
  std::vector<Shares> columns(window.columns);
  const double step = window.column_seconds();
  for (const PipelineEvent& event : events) {
    const double begin = std::max(event.start, window.from);
    const double end = std::min(event.end, window.to);
    if (begin >= end) continue;
    auto column = static_cast<std::size_t>((begin - window.from) / step);
    for (; column < columns.size() && window.from + static_cast<double>(column) * step < end; ++column) {
      const double left = window.from + static_cast<double>(column) * step;
      const double seconds = std::max(0.0, std::min(end, left + step) - std::max(begin, left));
      Shares& at = columns[column];
      (event.kind == PassKind::forward           ? at.forward
       : event.kind == PassKind::backward_weight ? at.weight
                                                 : at.backward) += seconds;
    }
  }
  Cells out;
  for (const Shares& shares : columns) out.push_back(dense_cell(shares, step));
  return out;
}

/// Until every rank has done a backward pass, or the same from the end: until none has a forward pass to do.
double longest_ramp(std::span<const PipelineEvent> events, double end) {
  double fill = 0;
  double drain = 0;
  for (std::size_t begin = 0; begin < events.size();) {
    std::size_t next = begin;
    double first_backward = end;
    double last_forward = 0;
    for (; next < events.size() && events[next].rank == events[begin].rank; ++next) {
      const PipelineEvent& event = events[next];
      if (event.kind == PassKind::forward) last_forward = std::max(last_forward, event.start);
      if (event.kind != PassKind::forward) first_backward = std::min(first_backward, event.end);
    }
    fill = std::max(fill, first_backward);
    drain = std::max(drain, end - last_forward);
    begin = next;
  }
  return std::max(fill, drain);
}

}  // namespace

std::vector<TimeWindow> picture_windows(std::span<const PipelineEvent> events, double seconds, std::size_t columns) {
  double end = 0;
  for (const PipelineEvent& event : events) end = std::max(end, event.end);
  constexpr double beyond_the_ramp = 1.3;
  constexpr double worth_cutting = 0.7;  // of the time that is drawn at most, when some of it is cut out
  const double stretch = beyond_the_ramp * longest_ramp(events, end);
  const std::size_t half = (columns - std::min(columns, gap_columns)) / 2;
  if (half < 4 || 2 * stretch > worth_cutting * seconds || 2 * stretch > end) return {{0, end, columns}};
  // Both at the same scale, the first with the column that does not divide.
  const std::size_t first = columns - gap_columns - half;
  const double head = stretch * static_cast<double>(first) / static_cast<double>(half);
  return {{0, head, first}, {end - stretch, end, half, std::max(0.0, seconds - end)}};
}

bool is_dense(std::span<const PipelineEvent> events, const TimeWindow& window) {
  if (events.empty()) return false;
  double seconds = 0;
  for (const PipelineEvent& event : events) seconds += event.end - event.start;
  constexpr double least_columns = 1.25;
  return seconds / static_cast<double>(events.size()) < least_columns * window.column_seconds();
}

Cell pass_cell(PassKind kind, std::int32_t chunk, std::int32_t chunks) {
  const std::size_t tone = tone_of(chunk, chunks);
  const bool odd = chunk % 2 != 0;
  switch (kind) {
    case PassKind::forward:
      return {odd ? ")" : ">", forward_tones[tone]};
    case PassKind::backward_weight:
      return {odd ? "~" : "=", weight_tones[tone]};
    case PassKind::backward:
    case PassKind::backward_input:
      break;
  }
  return {odd ? "(" : "<", backward_tones[tone]};
}

Cell mixed_cell() { return {"x", "30;48;5;80"}; }

Cell idle_cell() { return {"·", "2"}; }

Cells pass_cells(std::span<const PipelineEvent> events, const TimeWindow& window, std::int32_t chunks, bool dense) {
  return dense ? dense_cells(events, window) : wide_cells(events, window, chunks);
}

Cell memory_cell(double bytes, const MemoryScale& scale) {
  static constexpr std::array<std::string_view, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double range = scale.high - scale.low;
  const double height = range > 0 ? std::clamp((bytes - scale.low) / range, 0.0, 1.0) : 1;
  const auto bar = static_cast<std::size_t>(std::lround(height * static_cast<double>(bars.size() - 1)));
  MemoryEstimate memory;
  memory.device.expected = bytes;
  std::string_view style = "36";
  if (scale.capacity > 0) {
    const Fit fit = compare_with_hardware(memory, scale.capacity);
    style = fit == Fit::fits ? "32" : fit == Fit::tight ? "33" : "31";
  }
  return {bars[bar], style};
}

Cells memory_cells(std::span<const StageMemoryPoint> line, const TimeWindow& window, const MemoryScale& scale) {
  Cells out;
  std::size_t next = 0;
  double now = line.empty() ? 0 : line.front().bytes;
  for (std::size_t column = 0; column < window.columns && !line.empty(); ++column) {
    const double end = window.from + static_cast<double>(column + 1) * window.column_seconds();
    double most = now;
    for (; next < line.size() && line[next].seconds < end; ++next) {
      now = line[next].bytes;
      // What was before the window counts for nothing but where it left off.
      most = line[next].seconds < window.from ? now : std::max(most, now);
    }
    out.push_back(memory_cell(most, scale));
  }
  return out;
}

namespace {

/// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Cells scale_cells(const TimeWindow& window, bool in_seconds) {
  constexpr double mark_columns = 10;
  const double from = window.from + window.shift;
  const double to = window.to + window.shift;
  const double unit = in_seconds ? 1 : 1e-3;
  const double step = round_step(mark_columns * window.column_seconds() / unit);
  Cells out(window.columns, Cell{});
  const double first = std::max(0.0, std::ceil(from / unit / step - 1e-9));
  // Counted in marks: a window too narrow for its distance from zero has the same time in all its columns.
  for (std::size_t mark = 0; mark <= window.columns; ++mark) {
    const double steps = first + static_cast<double>(mark);
    if (steps * step * unit >= to - window.column_seconds() / 2) break;
    const std::size_t column = column_at(steps * step * unit - window.shift, window);
    const std::string_view name = in_seconds ? " s" : " ms";
    const std::string label = fmt::format("{:g}{}", steps * step, mark == 0 ? name : "");
    if (column + 1 + label.size() > out.size()) break;
    out[column] = {"│", "2"};
    write_text(out, column + 1, label, "2");
  }
  return out;
}

}  // namespace primus_plan
