#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/html/plot.h"
#include "report/html/sections.h"
#include "support/utf8.h"

namespace primus_plan::html {

namespace {

/// Points beyond which a plot would be a blur; the table has them all.
constexpr std::size_t most_plotted = 60;

class SweepView {
 public:
  SweepView(Markup& out, const View& view, std::size_t index)
      : out_(out), view_(view), index_(index), sweep_(view.page.sweeps[index].sweep) {}

  void write() {
    subheading(out_, view_, "Over " + names());
    const bool timed =
        std::ranges::any_of(sweep_.points, [](const SweepPoint& p) { return p.letter == 0 && tokens_of(p) > 0; });
    if (timed && sweep_.axes.size() == 1 && sweep_.points.size() <= most_plotted) plots();
    if (!sweep_.complete) out_.element("p", "The sweep was ended by an interrupt: these are its first points.");
    table();
    legend_list();
  }

 private:
  static double tokens_of(const SweepPoint& point) {
    return point.trial.estimate ? point.trial.estimate->step.tokens_per_second_per_gpu : 0;
  }

  std::string names() const {
    std::string out;
    for (const SweepAxis& axis : sweep_.axes) out += (out.empty() ? "" : " and ") + axis.name;
    return out;
  }

  static std::string short_text(const Node& node) {
    const std::string text = escape_controls(to_text(node));
    return text.size() > 12 ? fmt::format("{}...", cut_utf8(text, 9)) : text;
  }

  void plots() {
    std::vector<std::string> words;
    double fastest = 0;
    double largest = sweep_.hardware != nullptr ? sweep_.hardware->memory_bytes : 0;
    for (const SweepPoint& point : sweep_.points) {
      words.push_back(short_text(*point.values.front()));
      if (!point.trial.estimate) continue;
      const StepEstimate& step = point.trial.estimate->step;
      if (step.low_seconds > 0) fastest = std::max(fastest, tokens_of(point) * step.seconds / step.low_seconds);
      largest = std::max(largest, point.trial.estimate->memory.device.high);
    }
    out_.open("div", {{"class", "plots"}});
    speed_plot(words, fastest);
    memory_plot(words, largest);
    out_.close();
  }

  void speed_plot(const std::vector<std::string>& words, double fastest) {
    const std::vector<double> marks = axis_marks(0, fastest, 5);
    Plot plot(out_, words, sweep_.axes.front().name, {"tokens/s of a GPU", 0, marks.back(), marks, 1},
              "throughput over " + names());
    std::vector<std::pair<double, double>> line;
    for (std::size_t i = 0; i < sweep_.points.size(); ++i) {
      const double speed = tokens_of(sweep_.points[i]);
      const auto x = static_cast<double>(i);
      if (sweep_.points[i].letter != 0 || speed <= 0) {
        plot.cross(x);
        continue;
      }
      const StepEstimate& step = sweep_.points[i].trial.estimate->step;
      plot.interval(x, speed * step.seconds / step.high_seconds, speed * step.seconds / step.low_seconds, "whisker");
      line.emplace_back(x, speed);
    }
    plot.line(line, "front");
    plot.dots(line, "best", 3);
  }

  void memory_plot(const std::vector<std::string>& words, double largest) {
    std::vector<double> marks = axis_marks(0, largest / gib, 5);
    for (double& mark : marks) mark *= gib;
    Plot plot(out_, words, sweep_.axes.front().name, {"GiB of the fullest GPU", 0, marks.back(), marks, gib},
              "memory over " + names());
    for (std::size_t i = 0; i < sweep_.points.size(); ++i) {
      const SweepPoint& point = sweep_.points[i];
      const auto x = static_cast<double>(i);
      if (point.letter != 0 || !point.trial.estimate || point.trial.estimate->memory.device.expected <= 0) {
        plot.cross(x);
        continue;
      }
      const MemoryRange& memory = point.trial.estimate->memory.device;
      plot.column(x, memory.expected, point.trial.fits() ? "fits" : "full");
      plot.interval(x, memory.low, memory.high, "whisker");
    }
    if (sweep_.hardware != nullptr) plot.horizontal(sweep_.hardware->memory_bytes, "capacity");
  }

  void cell(std::string_view path, double value, const std::string& text) {
    out_.open("td");
    value > 0 ? figure(out_, view_, path, value, text) : void(out_.text("-"));
    out_.close();
  }

  void table() {
    out_.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table").open("thead").open("tr");
    for (const SweepAxis& axis : sweep_.axes) out_.element("th", axis.name);
    out_.raw(
        "<th>DP</th><th>accum</th><th>GiB a GPU</th><th>fits</th><th>tokens/s/GPU</th><th>step</th><th>bubble</th>");
    out_.close().close().open("tbody");
    for (std::size_t i = 0; i < sweep_.points.size(); ++i)
      row(sweep_.points[i], fmt::format("sweeps/{}/points/{}/", index_, i));
    out_.close().close().close();
  }

  void row(const SweepPoint& point, const std::string& at) {
    out_.open("tr", {{"class", point.letter != 0 ? "illegal" : ""}});
    for (const NodePtr& value : point.values) out_.element("th", short_text(*value), {{"scope", "row"}});
    if (point.letter != 0) {
      out_.element("td", fmt::format("illegal: {}", point.letter), {{"class", "text"}, {"colspan", "7"}})
          .close()
          .line();
      return;
    }
    const RunDescription& run = point.trial.analysis.run;
    out_.open("td");
    count(out_, view_, at + "dp", run.degrees.data);
    out_.close().open("td");
    run.batch.accumulation_steps > 0 ? count(out_, view_, at + "accumulation_steps", run.batch.accumulation_steps)
                                     : void(out_.text("-"));
    out_.close();
    const Estimate nothing;
    const Estimate& estimate = point.trial.estimate ? *point.trial.estimate : nothing;
    const MemoryRange& memory = estimate.memory.device;
    cell(at + "memory_bytes/expected", memory.expected, fmt::format("{:.0f}", memory.expected / gib));
    out_.element("td", estimate.fit ? (*estimate.fit == Fit::fits    ? "yes"
                                       : *estimate.fit == Fit::tight ? "tight"
                                                                     : "no")
                                    : "-");
    cell(at + "tokens_per_second_per_gpu", estimate.step.tokens_per_second_per_gpu,
         with_commas(std::llround(estimate.step.tokens_per_second_per_gpu)));
    cell(at + "step_seconds", estimate.step.seconds, seconds_text(estimate.step.seconds));
    out_.element("td", estimate.step.seconds > 0 ? percent_text(estimate.step.bubble_share) : "-");
    out_.close().line();
  }

  void legend_list() {
    if (sweep_.legend.empty()) return;
    out_.open("ul", {{"class", "reasons"}});
    for (const SweepReason& reason : sweep_.legend) {
      out_.open("li").element("b", std::string(1, reason.letter)).raw(" ").text(reason.message);
      std::string rules;
      for (const RuleInfo* rule : reason.rules) rules += fmt::format(" {}", rule->id);
      if (!rules.empty()) out_.element("small", rules);
      out_.close();
    }
    out_.close();
  }

  Markup& out_;
  const View& view_;
  std::size_t index_;
  const Sweep& sweep_;
};

}  // namespace

void write_sweeps(Markup& out, const View& view) {
  if (view.page.sweeps.empty()) return;
  open_section(out, view, "sweeps", "Sweeps");
  out.element("p", "One thing changes, everything else stays as the experiment has it; crosses are illegal runs.",
              {{"class", "lead"}});
  for (std::size_t i = 0; i < view.page.sweeps.size(); ++i) SweepView(out, view, i).write();
  out.close();
}

}  // namespace primus_plan::html
