#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/html/plot.h"
#include "report/html/sections.h"

namespace primus_plan::html {

namespace {

/// Candidates drawn behind the front.
constexpr std::size_t most_dots = 400;

using Points = std::vector<std::pair<double, double>>;

std::pair<double, double> place_of(const PlanPoint& point) {
  return {point.memory.expected, point.tokens_per_second_per_gpu};
}

/// Some of the points, evenly picked from best to worst.
Points picked(const std::vector<PlanPoint>& points) {
  Points out;
  const std::size_t every = points.size() / most_dots + 1;
  for (std::size_t i = 0; i < points.size(); i += every) out.push_back(place_of(points[i]));
  return out;
}

class PlanSection {
 public:
  PlanSection(Markup& out, const View& view)
      : out_(out), view_(view), report_(*view.page.plan), result_(report_.result) {}

  void write() {
    open_section(out_, view_, "plans", "Plans");
    search();
    if (result_.plans.empty()) {
      out_.element("p", explain_no_plan(report_));
    } else {
      table();
      reasons();
      overrides();
      front();
    }
    out_.close();
  }

 private:
  void search() {
    out_.open("p", {{"class", "lead"}});
    out_.text(fmt::format("{} for a step of {} of {} (batch {}): ", counted(report_.request.worlds.back(), "GPU"),
                          counted(report_.request.task.global_batch, "sample"),
                          counted(report_.request.task.sequence_length, "token"), report_.batch_source));
    figure(out_, view_, "plan/search/candidates", static_cast<std::int64_t>(result_.space),
           with_commas(static_cast<std::int64_t>(result_.space)));
    out_.text(" candidates, ");
    figure(out_, view_, "plan/search/fitting", static_cast<std::int64_t>(result_.points.size()),
           with_commas(static_cast<std::int64_t>(result_.points.size())));
    out_.text(" of those that were judged are legal and fit, in ");
    figure(out_, view_, "plan/search/layouts", static_cast<std::int64_t>(result_.layouts),
           with_commas(static_cast<std::int64_t>(result_.layouts)));
    out_.text(
        result_.complete
            ? " layouts."
            : " layouts. The search was ended by its time limit or an interrupt: these are the best of what was seen.");
    out_.close();
  }

  void cell(std::string_view path, double value, const std::string& text) {
    out_.open("td");
    figure(out_, view_, path, value, text);
    out_.close();
  }
  void cell(std::string_view path, std::int64_t value) {
    out_.open("td");
    count(out_, view_, path, value);
    out_.close();
  }

  void table() {
    out_.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
    out_.raw(
        "<thead><tr><th>#</th><th class=\"text\">layout</th><th>DP</th><th>accum</th><th>GiB a GPU</th>"
        "<th>tokens/s/GPU</th><th>MFU</th><th>step</th><th>bubble</th><th class=\"text\">across nodes</th>"
        "<th class=\"text\">settings</th></tr></thead>");
    out_.open("tbody");
    if (result_.present.is_estimated && result_.present.no_seconds.empty()) present();
    for (std::size_t i = 0; i < result_.plans.size(); ++i) row(result_.plans[i], i);
    out_.close().close().close();
  }

  void point_cells(const std::string& at, const PlanPoint& point) {
    out_.open("td");
    figure(out_, view_, at + "memory_bytes/expected", point.memory.expected,
           fmt::format("{:.0f}", point.memory.expected / gib));
    out_.element("small", fmt::format(" {:.0f}-{:.0f}", point.memory.low / gib, point.memory.high / gib)).close();
    cell(at + "tokens_per_second_per_gpu", point.tokens_per_second_per_gpu,
         with_commas(std::llround(point.tokens_per_second_per_gpu)));
  }

  void present() {
    const PlanPoint& now = result_.present.point;
    const RunDescription& run = result_.present.run;
    out_.open("tr", {{"class", "present"}})
        .element("th", "now", {{"scope", "row"}})
        .element("td", "as the file is", {{"class", "text keep"}});
    out_.element("td", with_commas(run.degrees.data)).element("td", with_commas(run.batch.accumulation_steps));
    point_cells("plan/present/", now);
    out_.element("td", "").open("td");
    figure(out_, view_, "plan/present/step_seconds/expected", now.seconds, seconds_text(now.seconds));
    out_.close();
    cell("plan/present/bubble_share", now.bubble_share, percent_text(now.bubble_share));
    out_.element("td", "").element("td", "").close();
  }

  void row(const ProposedPlan& plan, std::size_t index) {
    const std::string at = fmt::format("plan/plans/{}/", index);
    out_.open("tr").element("th", fmt::format("{}", index + 1), {{"scope", "row"}});
    out_.element("td", layout_text(plan.point.candidate), {{"class", "text keep"}});
    cell(at + "data", plan.run.degrees.data);
    cell(at + "accumulation_steps", plan.run.batch.accumulation_steps);
    point_cells(at, plan.point);
    cell(at + "mfu", plan.estimate.counted_mfu(), percent_text(plan.estimate.counted_mfu()));
    cell(at + "step_seconds/expected", plan.point.seconds, seconds_text(plan.point.seconds));
    cell(at + "bubble_share", plan.point.bubble_share, percent_text(plan.point.bubble_share));
    out_.element("td", plan.crossing.empty() ? "none" : join(plan.crossing, " "), {{"class", "text"}});
    out_.element("td", plan_settings_text(plan, report_), {{"class", "text"}}).close().line();
  }

  void reasons() {
    if (!result_.runner_up) return;
    out_.open("ul");
    for (const std::string& sentence : compare_plans(result_.plans.front(), *result_.runner_up))
      out_.element("li", sentence);
    out_.close();
  }

  void overrides() {
    subheading(out_, view_, "Overrides");
    for (std::size_t i = 0; i < result_.plans.size(); ++i) {
      const ProposedPlan& plan = result_.plans[i];
      const std::string title = fmt::format("Plan {}: {}", i + 1, layout_text(plan.point.candidate));
      out_.open("details", {{"class", "block"}}).open("summary").text(title);
      out_.element("small",
                   fmt::format(" {} of the experiment change", counted(static_cast<std::int64_t>(plan.changes), "key")))
          .close();
      out_.open("pre", {{"class", "copy"}, {"tabindex", "0"}, {"aria-label", "overrides"}}).open("code");
      const std::string block = overrides_block(plan.overrides, 0);
      for (std::size_t at = 0; at < block.size();) {
        const std::size_t end = std::min(block.find('\n', at), block.size());
        out_.text(std::string_view(block).substr(at, end - at)).line();
        at = end + 1;
      }
      out_.close().close().close();
    }
  }

  void front() {
    subheading(out_, view_, "Memory against throughput");
    Points front;
    std::ranges::transform(result_.front, std::back_inserter(front),
                           [](const ProposedPlan& plan) { return place_of(plan.point); });
    const Points dots = picked(result_.points);
    const double capacity = report_.request.hardware.memory_bytes;
    double fastest = result_.present.is_estimated ? result_.present.point.tokens_per_second_per_gpu : 0;
    double largest =
        result_.present.is_estimated ? std::max(capacity, result_.present.point.memory.expected) : capacity;
    for (const Points* points : {&std::as_const(front), &dots}) {
      for (const auto& [memory, speed] : *points) {
        fastest = std::max(fastest, speed);
        largest = std::max(largest, memory);
      }
    }
    const std::vector<double> speeds = axis_marks(0, fastest * 1.02, 5);
    std::vector<double> memories = axis_marks(0, largest / gib * 1.02, 6);
    for (double& mark : memories) mark *= gib;
    {
      Plot plot(out_, {"GiB of the fullest GPU", 0, memories.back(), memories, gib},
                {"tokens/s of a GPU", 0, speeds.back(), speeds, 1}, "memory against throughput of the plans that fit");
      plot.dots(dots, "other", 1.3);
      plot.line(front, "front");
      plot.dots(front, "best", 2.6);
      Points plans;
      for (const ProposedPlan& plan : result_.plans) plans.push_back(place_of(plan.point));
      plot.dots(plans, "best", 2.6);
      plot.vertical(capacity, "capacity");
      if (result_.present.is_estimated) plot.dots({place_of(result_.present.point)}, "now", 4);
      numbered(plot);
    }
    std::vector<LegendEntry> entries{{"best", "front: nothing needs less and is faster"}, {"other", "other plans"}};
    if (result_.present.is_estimated) entries.push_back({"now", "the file as it is"});
    legend(out_, entries);
    front_table();
  }

  /// The plans' numbers beside their dots; those that would lie on each other are left out.
  void numbered(Plot& plot) {
    Points placed;
    const double wide = report_.request.hardware.memory_bytes / 24;
    const double high = result_.plans.front().point.tokens_per_second_per_gpu / 18;
    for (std::size_t i = 0; i < result_.plans.size(); ++i) {
      const auto [x, y] = place_of(result_.plans[i].point);
      const bool crowded = std::ranges::any_of(placed, [&, x = x, y = y](const auto& other) {
        return std::abs(other.first - x) < wide && std::abs(other.second - y) < high;
      });
      if (crowded) continue;
      placed.emplace_back(x, y);
      plot.word(x + wide / 4, y + high / 4, fmt::format("{}", i + 1));
    }
  }

  void front_table() {
    out_.open("details")
        .element("summary", "The front in numbers")
        .open("div", {{"class", "scroll"}, {"tabindex", "0"}})
        .open("table");
    out_.raw(
            "<thead><tr><th class=\"text\">layout</th><th>GiB a GPU</th><th>tokens/s/GPU</th><th "
            "class=\"text\">settings</th></tr></thead>")
        .open("tbody");
    for (std::size_t i = 0; i < result_.front.size(); ++i) {
      const ProposedPlan& plan = result_.front[i];
      out_.open("tr").element("td", layout_text(plan.point.candidate), {{"class", "text keep"}});
      point_cells(fmt::format("plan/front/{}/", i), plan.point);
      out_.element("td", plan_settings_text(plan, report_), {{"class", "text"}}).close();
    }
    out_.close().close().close().close();
  }

  Markup& out_;
  const View& view_;
  const PlanReport& report_;
  const PlanResult& result_;
};

}  // namespace

void write_plans(Markup& out, const View& view) {
  if (view.page.plan != nullptr) PlanSection(out, view).write();
}

}  // namespace primus_plan::html
