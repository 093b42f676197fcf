#include "primus_plan/report/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "primus_plan/support/number.h"
#include "report/html/sections.h"

namespace primus_plan::html {

namespace {

/// A row's coordinates: fine enough for a wide screen, whole numbers so that paths stay short.
constexpr double width = 4000;
constexpr int height = 20;
constexpr int curve_height = 40;
constexpr std::size_t most_stages = 32;
/// Points of a memory curve.
constexpr std::size_t most_steps = 400;
/// Passes of a stage beyond which only the beginning and the end are drawn: the middle repeats itself.
constexpr std::size_t most_passes = 130;
constexpr double half_width = 1950;  ///< of the beginning and of the end, then

constexpr std::array<LegendEntry, 4> passes{
    {{"forward", "forward"}, {"backward", "backward"}, {"weight", "weight gradient"}, {"rest", "idle"}}};

std::size_t style_of(PassKind kind) {
  switch (kind) {
    case PassKind::forward:
      return 0;
    case PassKind::backward_input:
    case PassKind::backward:
      return 1;
    case PassKind::backward_weight:
      break;
  }
  return 2;
}

class TimelineSection {
 public:
  TimelineSection(Markup& out, const View& view)
      : out_(out), view_(view), run_(view.page.timeline), stages_(run_.pipeline.busy.size()) {
    for (const PipelineEvent& event : run_.pipeline.events) end_ = std::max(end_, event.end);
    for (std::size_t stage = 0; stage < run_.memory.size(); ++stage)
      most_held_ = std::max(most_held_, peak(stage) - base(stage));
    if (const std::size_t count = run_.pipeline.events.size(); count > most_passes * stages_)
      window_ = end_ / 2 * static_cast<double>(most_passes * stages_) / static_cast<double>(count);
    rows_ = choose_rows(stages_, most_stages);
  }

  void write() {
    open_section(out_, view_, "pipeline", "Pipeline");
    lead();
    if (end_ > 0) {
      legend(out_, shown_passes());
      out_.open("div", {{"class", "timeline"}});
      for (const std::size_t stage : rows_.first) row(stage);
      if (rows_.hidden > 0)
        out_.element("p",
                     fmt::format("{} between {} not drawn", counted(static_cast<std::int64_t>(rows_.hidden), "stage"),
                                 rows_.hidden == 1 ? "is" : "are"),
                     {{"class", "gap"}});
      for (const std::size_t stage : rows_.last) row(stage);
      axis();
      out_.close();
    }
    table();
    out_.close();
  }

 private:
  void lead() {
    out_.open("p", {{"class", "lead"}});
    out_.text(
        fmt::format("{} over {}, ", schedule_name(run_.played), counted(static_cast<std::int64_t>(stages_), "stage")));
    figure(out_, view_, "timeline/micro_batches", run_.micro_batches,
           with_commas(run_.micro_batches) + (run_.micro_batches == 1 ? " micro-batch" : " micro-batches"));
    out_.text(": ");
    figure(out_, view_, "timeline/seconds", run_.pipeline.seconds, seconds_text(run_.pipeline.seconds));
    out_.text(" from the first pass to the last, ");
    figure(out_, view_, "timeline/bubble_share", run_.pipeline.bubble_share, percent_text(run_.pipeline.bubble_share));
    out_.text(" of all stages' time is idle.");
    if (run_.shown > 0 && run_.shown < run_.micro_batches)
      out_.text(
          fmt::format(" Drawn is a pipeline of the first {} micro-batches, the others repeat its middle.", run_.shown));
    if (window_ > 0) out_.text(" Its beginning and its end are drawn.");
    if (run_.shown == 0) out_.text(" The pipeline is too large for a picture.");
    out_.close();
  }

  /// Where a moment stands in a row; moments that are left out stand in the gap.
  int x_of(double seconds) const {
    double x = seconds / end_ * width;
    if (window_ > 0) {
      const double left = end_ - seconds;
      x = seconds <= window_ ? seconds / window_ * half_width
          : left <= window_  ? width - left / window_ * half_width
                             : width / 2;
    }
    return static_cast<int>(std::lround(x));
  }

  bool is_left_out(const PipelineEvent& event) const {
    return window_ > 0 && event.start >= window_ && event.end <= end_ - window_;
  }

  void gap_mark(std::string_view tall) {
    if (window_ > 0)
      out_.empty("rect", {{"class", "break"}, {"x", "1950"}, {"y", "-1"}, {"width", "100"}, {"height", tall}});
  }

  void row(std::size_t stage) {
    out_.element("span", fmt::format("stage {}", stage), {{"class", "name"}});
    out_.open(
        "svg",
        {{"class", "passes"}, {"viewBox", "0 0 4000 20"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}});
    out_.empty("rect", {{"class", "rest"}, {"width", "4000"}, {"height", "20"}});
    events(stage);
    gap_mark("22");
    const double bubble = std::max(0.0, 1 - run_.pipeline.busy[stage] / run_.pipeline.seconds);
    out_.close().element("span", percent_text(bubble), {{"class", "value"}});
    if (most_held_ > 0 && stage < run_.memory.size()) memory(stage);
    out_.line();
  }

  /// A path for each kind of pass; passes too narrow to be seen apart are drawn as one.
  void events(std::size_t stage) {
    std::array<std::string, 3> paths;
    std::string chunks;
    struct Run {
      std::size_t style = 0;
      int begin = 0;
      int end = -1;
    } run;
    const auto flush = [&] {
      if (run.end > run.begin)
        paths[run.style] +=
            fmt::format("M{} 0h{}v{}h-{}z", run.begin, run.end - run.begin, height, run.end - run.begin);
    };
    for (const PipelineEvent& event : run_.pipeline.events) {
      if (static_cast<std::size_t>(event.rank) != stage || is_left_out(event)) continue;
      const int begin = x_of(event.start);
      const int end = std::max(x_of(event.end), begin + 1);
      constexpr int visible = 5;
      const bool gap = end - begin > 2 * visible;  // wide enough for a line between neighbours
      const std::size_t style = style_of(event.kind);
      if (run.end >= begin - 1 && run.style == style && !gap) {
        run.end = end;
      } else {
        flush();
        run = {style, begin, gap ? end - 3 : end};
      }
      if (event.chunk % 2 == 1 && gap) chunks += fmt::format("M{} {}h{}", begin, height - 2, end - 3 - begin);
    }
    flush();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (!paths[i].empty()) out_.empty("path", {{"class", passes[i].style}, {"d", paths[i]}});
    }
    if (!chunks.empty()) out_.empty("path", {{"class", "second"}, {"d", chunks}});
  }

  /// Schedules that do not split the backward pass have no weight gradients of their own.
  std::vector<LegendEntry> shown_passes() const {
    const bool splits = std::ranges::any_of(
        run_.pipeline.events, [](const PipelineEvent& event) { return event.kind == PassKind::backward_weight; });
    std::vector<LegendEntry> out(passes.begin(), passes.end());
    if (!splits) out.erase(out.begin() + 2);
    return out;
  }

  double base(std::size_t stage) const { return stage < run_.base_bytes.size() ? run_.base_bytes[stage] : 0; }
  double peak(std::size_t stage) const {
    double most = 0;
    for (const StageMemoryPoint& point : run_.memory[stage]) most = std::max(most, point.bytes);
    return most;
  }

  int y_of(double held) const { return curve_height - static_cast<int>(std::lround(held / most_held_ * curve_height)); }

  /// Activations over time: the highest of each column that could be told apart.
  void memory(std::size_t stage) {
    const std::vector<StageMemoryPoint>& points = run_.memory[stage];
    std::array<double, most_steps + 1> columns{};
    double before = 0;
    std::size_t column = 0;
    for (const StageMemoryPoint& point : points) {
      const auto at = static_cast<std::size_t>(std::clamp(x_of(point.seconds), 0, 4000)) * most_steps / 4000;
      for (; column < at; ++column) columns[column] = std::max(columns[column], before);
      before = std::max(0.0, point.bytes - base(stage));
      columns[at] = std::max(columns[at], before);
    }
    for (; column <= most_steps; ++column) columns[column] = std::max(columns[column], before);
    std::string path = fmt::format("M0 {}", curve_height);
    int last = -1;
    for (std::size_t i = 0; i <= most_steps; ++i) {
      const int y = y_of(columns[i]);
      if (y != last) path += fmt::format("H{}V{}", i * static_cast<std::size_t>(width) / most_steps, y);
      last = y;
    }
    path += fmt::format("H4000V{}z", curve_height);
    out_.open(
        "svg",
        {{"class", "curve"}, {"viewBox", "0 0 4000 40"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}});
    out_.empty("path", {{"class", "memory"}, {"d", path}});
    gap_mark("42");
    out_.close().element("span", gib_text(peak(stage)), {{"class", "value"}});
  }

  void axis_part(double begin, double end, int steps) {
    out_.open("div");
    for (int i = 0; i <= steps; ++i) {
      const double at = begin + (end - begin) * i / steps;
      out_.element("span", at > 0 ? seconds_text(at) : "0");
    }
    out_.close();
  }

  void axis() {
    out_.open("div", {{"class", "axis"}});
    if (window_ > 0) {
      axis_part(0, window_, 1);
      axis_part(end_ - window_, end_, 1);
    } else {
      axis_part(0, end_, 4);
    }
    out_.close();
    std::string text = "Right of each stage its idle time";
    if (most_held_ > 0)
      text += fmt::format(", and its memory at the fullest moment; below it the activations that it holds, at most {}",
                          gib_text(most_held_));
    out_.element("p", text + ".", {{"class", "note"}});
  }

  void table() {
    out_.open("details").element("summary", "Each stage in numbers");
    out_.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
    out_.raw(
            "<thead><tr><th>stage</th><th>busy</th><th>idle</th><th>in flight</th><th>without activations</th><th>at "
            "its "
            "fullest</th></tr></thead>")
        .open("tbody");
    for (const std::size_t stage : rows_.first) numbers(stage);
    for (const std::size_t stage : rows_.last) numbers(stage);
    out_.close().close().close().close();
  }

  void cell(std::string_view path, double value, const std::string& text) {
    out_.open("td");
    figure(out_, view_, path, value, text);
    out_.close();
  }

  void numbers(std::size_t stage) {
    const PipelineTimeline& pipeline = run_.pipeline;
    const std::string at = fmt::format("timeline/stages/{}/", stage);
    out_.open("tr").element("th", fmt::format("{}", stage), {{"scope", "row"}});
    cell(at + "busy_seconds", pipeline.busy[stage], seconds_text(pipeline.busy[stage]));
    const double bubble = std::max(0.0, 1 - pipeline.busy[stage] / pipeline.seconds);
    cell(at + "bubble_share", bubble, percent_text(bubble));
    if (stage < pipeline.in_flight.size())
      cell(at + "in_flight", pipeline.in_flight[stage], fmt::format("{:.2f}", pipeline.in_flight[stage]));
    if (stage < run_.memory.size() && !run_.memory[stage].empty()) {
      cell(at + "base_bytes", base(stage), gib_text(base(stage)));
      cell(at + "peak_bytes", peak(stage), gib_text(peak(stage)));
    }
    out_.close().line();
  }

  Markup& out_;
  const View& view_;
  const RunTimeline& run_;
  std::size_t stages_;
  Rows rows_;
  double end_ = 0;        ///< seconds that the picture covers
  double window_ = 0;     ///< seconds of the beginning, and of the end, that are drawn; 0: everything
  double most_held_ = 0;  ///< bytes of activations of a stage at any moment: the height of a curve
};

}  // namespace

void write_timeline(Markup& out, const View& view) {
  const RunTimeline& run = view.page.timeline;
  if (run.pipeline.busy.size() < 2 || run.pipeline.seconds <= 0) return;
  TimelineSection(out, view).write();
}

}  // namespace primus_plan::html
