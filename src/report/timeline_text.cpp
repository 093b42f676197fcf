#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "primus_plan/estimate/fit.h"
#include "primus_plan/planner/axes.h"
#include "primus_plan/report/timeline.h"
#include "primus_plan/support/number.h"
#include "report/timeline_cells.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr std::size_t most_stages_shown = 32;
constexpr int wide_terminal = 100;

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.0f} ms", seconds * 1000) : fmt::format("{:.2f} s", seconds);
}

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
    style_.width = std::max(style.width, 40);
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
      end_ = std::max(end_, event.end);
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
    window_ = {std::clamp(view.from.value_or(0), 0.0, end_), std::clamp(view.to.value_or(end_), 0.0, end_),
               columns_.time};
    dense_ = window_.to > window_.from && is_dense(events, window_);
  }

  std::string text() const {
    if (timeline_.pipeline.busy.empty()) return wrapped("  no timeline: the run's costs are not known", 2, style_) + "\n";
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
  bool has_picture() const { return window_.to > window_.from; }

  void set_columns(std::size_t ranks) {
    const std::size_t digits = fmt::format("{}", ranks).size();
    columns_.wide = style_.width >= wide_terminal;
    columns_.label = columns_.wide ? std::max<std::size_t>(digits + 9, 10) : digits + 3;
    columns_.figures = (columns_.wide ? 18 : 9) + (has_memory() ? (columns_.wide ? 12 : 8) : 0);
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
    text += fmt::format(", {}: {} from the first pass to the last, {:.1f} % of it bubble",
                        counted(timeline_.micro_batches, "micro-batch"), seconds_text(timeline_.pipeline.seconds),
                        100 * timeline_.pipeline.bubble_share);
    std::string out = wrapped(text, 2, style_) + "\n";
    if (timeline_.shown == 0) return out + wrapped("  too many stages and chunks for a picture", 2, style_) + "\n";
    if (timeline_.shown < timeline_.micro_batches) {
      out += wrapped(fmt::format("  drawn with {} micro-batches: the other {} repeat its middle", timeline_.shown,
                                 with_commas(timeline_.micro_batches - timeline_.shown)),
                     2, style_) +
             "\n";
    }
    return out;
  }

  std::string scale_line() const {
    std::string figures = columns_.wide ? fmt::format("{:>9}{:>9}", "busy", "bubble") : fmt::format("{:>9}", "bubble");
    if (has_memory()) figures += columns_.wide ? fmt::format("{:>12}", "peak GiB") : fmt::format("{:>8}", "GiB");
    Cells cells = has_picture() ? scale_cells(window_) : Cells(columns_.time);
    cells.resize(columns_.time);
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
    const double bubble = std::max(0.0, 100 * (1 - busy));
    std::string out =
        columns_.wide ? fmt::format("{:>7.1f} %{:>7.1f} %", 100 * busy, bubble) : fmt::format("{:>7.1f} %", bubble);
    if (!has_memory()) return out;
    double peak = 0;
    for (const StageMemoryPoint& point : timeline_.memory[rank]) peak = std::max(peak, point.bytes);
    const bool over = view_.capacity_bytes > 0 && peak > view_.capacity_bytes;
    const std::string text = fmt::format("{:.1f}{}", peak / gib, over ? "!" : "");
    const std::size_t width = columns_.wide ? 12 : 8;
    out += std::string(width - std::min(width, text.size()), ' ');
    return out + (over ? paint_.severity(Severity::error, text) : text);
  }

  std::string stage_lines(std::size_t rank) const {
    Cells cells(columns_.time);
    if (has_picture()) cells = pass_cells(events_[rank], window_, chunks_, dense_);
    const std::string passes = drawn(cells, paint_);
    std::string out = label(rank) + passes + (has_picture() ? "" : std::string(columns_.time, ' ')) + figures(rank);
    out += "\n";
    if (view_.memory && has_memory() && has_picture()) {
      out += std::string(columns_.label, ' ') +
             drawn(memory_cells(timeline_.memory[rank], window_, scale_), paint_) + "\n";
    }
    return out;
  }

  /// A sample of a pass with what it is.
  LinePiece sample(PassKind kind, std::string_view name) const {
    const auto draw = [&](std::int32_t chunk) {
      return drawn(Cells(3, pass_cell(kind, chunk, dense_ ? 1 : chunks_)), paint_);
    };
    const bool both = chunks_ > 1 && !dense_;
    return {fmt::format("{}{} {}", draw(0), both ? " " + draw(chunks_ > 2 ? 1 : chunks_ - 1) : "", name),
            (both ? 8U : 4U) + name.size()};
  }

  std::string legend() const {
    std::vector<LinePiece> pieces;
    if (has_picture()) {
      pieces.push_back(sample(PassKind::forward, "forward"));
      pieces.push_back(sample(PassKind::backward, splits_ ? "input gradients" : "backward"));
      if (splits_) pieces.push_back(sample(PassKind::backward_weight, "weight gradients"));
      if (dense_) {
        pieces.push_back({drawn(Cells(3, mixed_cell()), paint_) + " forward and backward in turn", 32});
      } else {
        pieces.push_back({"3 micro-batch 3", 15});
        if (chunks_ > 1) {
          const std::string_view text = chunks_ == 2 ? "(first and second chunk)" : "(even and odd chunks)";
          pieces.push_back({std::string(text), text.size()});
        }
      }
      pieces.push_back({drawn(Cells(3, bubble_cell()), paint_) + " bubble", 10});
    }
    const auto width = static_cast<std::size_t>(style_.width);
    return flowed(pieces, width) + memory_legend();
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
  TimeWindow window_;
  MemoryScale scale_;
  double end_ = 0;
  std::int32_t chunks_ = 1;
  bool splits_ = false;
  bool dense_ = false;
};

}  // namespace

std::string timeline_to_text(const RunTimeline& timeline, const TimelineView& view, const TextStyle& style) {
  return Picture(timeline, view, style).text();
}

std::string schedule_name(ScheduleKind kind) {
  return value_text(PlanAxis::schedule, static_cast<std::int64_t>(kind));
}

std::optional<ScheduleKind> find_schedule(std::string_view name) {
  const auto value = parse_value(PlanAxis::schedule, name);
  return value ? std::optional(static_cast<ScheduleKind>(*value)) : std::nullopt;
}

}  // namespace primus_plan
