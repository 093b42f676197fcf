#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "primus_plan/estimate/fit.h"
#include "primus_plan/planner/axes.h"
#include "primus_plan/report/timeline.h"
#include "primus_plan/run/workload.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/text_parts.h"
#include "report/timeline_cells.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

constexpr std::size_t most_stages_shown = 32;
constexpr int wide_terminal = 100;
constexpr int least_width = 40;

/// Where a line has its parts.
struct Columns {
  std::size_t label = 0;  ///< the stage's number and a blank
  std::size_t time = 0;
  std::size_t figures = 0;
  bool wide = false;
};

/// One picture: the events of each rank, the window, the columns.
class Picture {
 public:
  Picture(const RunTimeline& timeline, const TimelineView& view, const TextStyle& style)
      : timeline_(timeline), view_(view), style_(style), paint_(style.color) {
    style_.wraps = true;
    style_.width = std::max(style.width, least_width);
    const std::size_t ranks = timeline.pipeline.busy.size();
    events_.resize(ranks);
    const std::vector<PipelineEvent>& events = timeline.pipeline.events;
    for (std::size_t begin = 0; begin < events.size();) {
      std::size_t end = begin;
      while (end < events.size() && events[end].rank == events[begin].rank) ++end;
      events_[static_cast<std::size_t>(events[begin].rank)] = std::span(events).subspan(begin, end - begin);
      begin = end;
    }
    for (const PipelineEvent& event : events) {
      chunks_ = std::max(chunks_, event.chunk + 1);
      splits_ = splits_ || event.kind == PassKind::backward_weight;
    }
    for (const auto& line : timeline.memory) {
      for (const StageMemoryPoint& point : line) {
        scale_.low = scale_.high > 0 ? std::min(scale_.low, point.bytes) : point.bytes;
        scale_.high = std::max(scale_.high, point.bytes);
      }
    }
    scale_.capacity = view.capacity_bytes;
    set_columns(ranks);
    set_windows();
  }

  std::string text() const {
    if (timeline_.pipeline.busy.empty())
      return wrapped("  no timeline: the run's costs are not known", 2, style_) + "\n";
    std::string out = head();
    out += scale_line();
    const std::vector<std::size_t> shown = shown_stages();
    for (const std::size_t rank : shown) out += stage_lines(rank);
    if (shown.size() < events_.size()) {
      out += paint_.faint(fmt::format("  {} of {} stages (--all)", shown.size(), events_.size())) + "\n";
    }
    return out + legend();
  }

 private:
  bool has_memory() const { return !timeline_.memory.empty(); }
  bool has_picture() const { return !windows_.empty(); }

  void set_windows() {
    const std::vector<PipelineEvent>& events = timeline_.pipeline.events;
    double end = 0;
    for (const PipelineEvent& event : events) end = std::max(end, event.end);
    if (view_.from || view_.to || view_.whole) {
      const double from = std::clamp(view_.from.value_or(0), 0.0, end);
      windows_ = {{from, std::clamp(view_.to.value_or(end), from, end), columns_.time}};
    } else {
      windows_ = picture_windows(events, timeline_.pipeline.seconds, columns_.time);
      // What was left out of the events is left out between the two.
      if (windows_.size() > 1) windows_.back().left_out = timeline_.micro_batches - timeline_.shown;
    }
    if (windows_.front().to <= windows_.front().from) windows_.clear();
    if (windows_.empty()) columns_.time = 0;
    dense_ = has_picture() && is_dense(events, windows_.front());
  }

  /// A line of the picture: what `draw` gives for each stretch of time, with the gap between them.
  template <class Draw>
  Cells across_windows(Draw&& draw) const {
    Cells out;
    for (const TimeWindow& window : windows_) {
      if (!out.empty()) {
        out.insert(out.end(), gap_columns, Cell{});
        out[out.size() - 2] = {"~", "2"};
      }
      const Cells cells = draw(window);
      out.insert(out.end(), cells.begin(), cells.end());
    }
    out.resize(columns_.time);
    return out;
  }

  void set_columns(std::size_t ranks) {
    const std::size_t digits = fmt::format("{}", ranks).size();
    columns_.wide = style_.width >= wide_terminal;
    columns_.label = columns_.wide ? std::max<std::size_t>(digits + 9, 10) : digits + 3;
    columns_.figures = (columns_.wide ? 17 : 9) + (has_memory() ? (columns_.wide ? 10 : 8) : 0);
    const auto width = static_cast<std::size_t>(style_.width);
    columns_.time = std::max<std::size_t>(8, width - std::min(width, columns_.label + columns_.figures));
  }

  /// All of few; of many as many as fit, evenly apart, the first and the last among them.
  std::vector<std::size_t> shown_stages() const {
    const std::size_t ranks = events_.size();
    std::vector<std::size_t> out;
    const std::size_t count = view_.all ? ranks : std::min(ranks, most_stages_shown);
    for (std::size_t i = 0; i < count; ++i) out.push_back(count < ranks ? i * (ranks - 1) / (count - 1) : i);
    return out;
  }

  std::string head() const {
    const auto ranks = static_cast<std::int64_t>(events_.size());
    std::string text = fmt::format("  {}, {}", schedule_name(timeline_.played), counted(ranks, "stage"));
    if (chunks_ > 1) text += fmt::format(" of {} chunks", chunks_);
    text += fmt::format(", {} micro-batch{}: {} from the first pass to the last, stages idle {:.1f} %",
                        with_commas(timeline_.micro_batches), timeline_.micro_batches == 1 ? "" : "es",
                        seconds_text(timeline_.pipeline.seconds), 100 * timeline_.pipeline.bubble_share);
    std::string out = wrapped(text, 2, style_) + "\n";
    if (timeline_.shown == 0) return out + wrapped("  too many stages and chunks for a picture", 2, style_) + "\n";
    if (!has_picture()) return out + wrapped("  nothing runs in that time", 2, style_) + "\n";
    // Where the picture has a gap, they are in it.
    if (timeline_.shown < timeline_.micro_batches && windows_.size() < 2) {
      out += wrapped(fmt::format("  drawn with {} micro-batches: the other {} repeat its middle", timeline_.shown,
                                 with_commas(timeline_.micro_batches - timeline_.shown)),
                     2, style_) +
             "\n";
    }
    return out;
  }

  std::string scale_line() const {
    std::string figures = columns_.wide ? fmt::format("{:>9}{:>8}", "busy", "idle") : fmt::format("{:>9}", "idle");
    if (has_memory()) figures += columns_.wide ? fmt::format("{:>10}", "peak GiB") : fmt::format("{:>8}", "GiB");
    const bool in_seconds = has_picture() && windows_.back().to + windows_.back().shift >= 10;
    Cells cells = across_windows([&](const TimeWindow& window) { return scale_cells(window, in_seconds); });
    for (const char character : figures) cells.push_back({ascii_glyph(character), "1"});
    return std::string(columns_.label, ' ') + drawn(cells, paint_) + "\n";
  }

  std::string label(std::size_t rank) const {
    const std::string text = columns_.wide ? fmt::format("  stage {}", rank) : fmt::format("  {}", rank);
    return text + std::string(columns_.label - std::min(columns_.label, text.size()), ' ');
  }

  std::string figures(std::size_t rank) const {
    const double seconds = timeline_.pipeline.seconds;
    const double busy = seconds > 0 ? timeline_.pipeline.busy[rank] / seconds : 0;
    const double idle = std::max(0.0, 100 * (1 - busy));
    std::string out =
        columns_.wide ? fmt::format("{:>7.1f} %{:>6.1f} %", 100 * busy, idle) : fmt::format("{:>7.1f} %", idle);
    if (!has_memory()) return out;
    double peak = 0;
    for (const StageMemoryPoint& point : timeline_.memory[rank]) peak = std::max(peak, point.bytes);
    const bool over = view_.capacity_bytes > 0 && peak > view_.capacity_bytes;
    const std::string text = fmt::format("{:.1f}{}", peak / gib, over ? "!" : "");
    const std::size_t width = columns_.wide ? 10 : 8;
    out += std::string(width - std::min(width, text.size()), ' ');
    return out + (over ? paint_.severity(Severity::error, text) : text);
  }

  std::string stage_lines(std::size_t rank) const {
    const Cells passes =
        across_windows([&](const TimeWindow& window) { return pass_cells(events_[rank], window, chunks_, dense_); });
    std::string out = label(rank) + drawn(passes, paint_);
    out += figures(rank) + "\n";
    if (!view_.memory || !has_memory() || !has_picture()) return out;
    const Cells memory =
        across_windows([&](const TimeWindow& window) { return memory_cells(timeline_.memory[rank], window, scale_); });
    return out + std::string(columns_.label, ' ') + drawn(memory, paint_) + "\n";
  }

  /// A sample of a pass with what it is: of the first two chunks where there are more.
  LinePiece sample(PassKind kind, std::string_view name, std::string_view number) const {
    const bool both = chunks_ > 1 && !dense_;
    Cells cells(3, pass_cell(kind, 0, dense_ ? 1 : chunks_));
    if (!dense_) write_text(cells, 0, number, cells[0].style);
    if (both) {
      cells.emplace_back();
      cells.insert(cells.end(), 3, pass_cell(kind, 1, chunks_));
    }
    return {drawn(cells, paint_) + " " + std::string(name), cells.size() + 1 + name.size()};
  }

  LinePiece plain(const Cell& cell, std::string_view name) const {
    return {drawn(Cells(3, cell), paint_) + " " + std::string(name), 4 + name.size()};
  }

  std::string legend() const {
    if (!has_picture()) return memory_legend();
    std::vector<LinePiece> pieces = {sample(PassKind::forward, dense_ ? "forward" : "forward of micro-batch 3", "3"),
                                     sample(PassKind::backward, splits_ ? "input gradients" : "backward", "")};
    if (splits_) pieces.push_back(sample(PassKind::backward_weight, "weight gradients", ""));
    if (dense_) pieces.push_back(plain(mixed_cell(), "forward and backward in turn"));
    if (chunks_ > 1 && !dense_) {
      const std::string_view text = chunks_ == 2 ? "(first and second chunk)" : "(even and odd chunks)";
      pieces.push_back({std::string(text), text.size()});
    }
    pieces.push_back(plain(idle_cell(), "idle"));
    if (windows_.size() > 1) pieces.push_back({"~ more of the same", 18});
    return flowed(pieces, static_cast<std::size_t>(style_.width)) + memory_legend();
  }

  std::string memory_legend() const {
    if (!has_memory()) return {};
    std::vector<LinePiece> pieces;
    if (view_.memory && has_picture()) {
      const auto add = [&](double bytes) {
        std::string text = fmt::format("{:.1f} GiB", bytes / gib);
        const std::size_t columns = text.size() + 2;
        pieces.push_back({drawn({memory_cell(bytes, scale_)}, paint_) + " " + std::move(text), columns});
      };
      add(scale_.low);
      if (scale_.high > scale_.low) add(scale_.high);
    }
    if (view_.capacity_bytes > 0) {
      std::string text = fmt::format("a GPU has {:.1f} GiB", view_.capacity_bytes / gib);
      const std::size_t columns = text.size();
      pieces.push_back({std::move(text), columns});
    }
    return flowed(pieces, static_cast<std::size_t>(style_.width));
  }

  const RunTimeline& timeline_;
  const TimelineView& view_;
  TextStyle style_;
  Paint paint_;
  std::vector<std::span<const PipelineEvent>> events_;
  Columns columns_;
  std::vector<TimeWindow> windows_;  ///< none: there is nothing to draw
  MemoryScale scale_;
  std::int32_t chunks_ = 1;
  bool splits_ = false;
  bool dense_ = false;
};

}  // namespace

std::string timeline_to_text(const RunTimeline& timeline, const TimelineView& view, const TextStyle& style) {
  return Picture(timeline, view, style).text();
}

std::string timeline_to_text(const TimelineReport& report, const TimelineView& view, const TextStyle& style) {
  const Analysis& analysis = report.analysis;
  TextStyle lines = style;
  lines.wraps = true;
  lines.width = std::max(style.width, least_width);
  const Paint paint(style.color);
  std::string out =
      paint.bold(wrapped(fmt::format("{} ({}, {})", escape_controls(analysis.path), escape_controls(analysis.module),
                                     escape_controls(analysis.framework)),
                         2, lines)) +
      "\n";
  const auto add = [&](const std::string& line) { out += wrapped("  " + escape_controls(line), 2, lines) + "\n"; };
  const RunDescription& run = analysis.run;
  add(fmt::format("on {} of {} ({})", counted(run.launch.world_size, "GPU"), report.hardware.name,
                  report.hardware_source));
  if (run.launch.assumed) add(fmt::format("size assumed: {}; see --nodes", run.launch.source));
  if (analysis.errors > 0)
    add(fmt::format("this run will not start: {}; see primus-plan check",
                    counted(static_cast<std::int64_t>(analysis.errors), "error")));
  if (analysis.workload != nullptr && !analysis.workload->unknown.empty()) {
    add(fmt::format("not counted: {}", join(analysis.workload->unknown, ", ")));
  }
  for (const std::string& note : report.notes) add(note);
  if (run.batch.pipeline_micro_batches > 0 && run.batch.accumulation_steps > 1) {
    add(fmt::format("the pipeline fills and drains {} times a step", run.batch.accumulation_steps));
  }
  return out + timeline_to_text(report.timeline, view, lines);
}

std::string schedule_name(ScheduleKind kind) { return value_text(PlanAxis::schedule, static_cast<std::int64_t>(kind)); }

std::optional<ScheduleKind> find_schedule(std::string_view name) {
  const auto value = parse_value(PlanAxis::schedule, name);
  return value ? std::optional(static_cast<ScheduleKind>(*value)) : std::nullopt;
}

}  // namespace primus_plan
