#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/html/sections.h"

namespace primus_plan::html {

namespace {

/// Computing, computing again, talking, waiting, and the rest.
std::string_view style_of(TimePart part) {
  switch (part) {
    case TimePart::matrices:
    case TimePart::experts:
    case TimePart::attention:
    case TimePart::elementwise:
    case TimePart::logits:
      return "t0";
    case TimePart::recompute:
      return "t1";
    case TimePart::tensor_exchange:
    case TimePart::context_exchange:
    case TimePart::expert_exchange:
    case TimePart::data_exchange:
      return "t2";
    case TimePart::pipeline:
      return "t3";
    case TimePart::launch:
    case TimePart::optimizer:
    case TimePart::fixed:
      break;
  }
  return "t4";
}

constexpr std::array<LegendEntry, 5> styles{{{"t0", "computing"},
                                             {"t1", "computing again"},
                                             {"t2", "communication that nothing hides"},
                                             {"t3", "bubble"},
                                             {"t4", "the rest"}}};

std::vector<TimePart> largest_first(const StepEstimate& step) {
  std::vector<TimePart> parts;
  for (std::size_t i = 0; i < time_parts; ++i) {
    if (step.parts[i] > 0) parts.push_back(static_cast<TimePart>(i));
  }
  std::ranges::stable_sort(parts, [&step](TimePart a, TimePart b) {
    return step.parts[static_cast<std::size_t>(a)] > step.parts[static_cast<std::size_t>(b)];
  });
  return parts;
}

void write_lead(Markup& out, const View& view, const StepEstimate& step) {
  out.open("p", {{"class", "lead"}});
  figure(out, view, "estimate/step/seconds", step.seconds, seconds_text(step.seconds));
  out.text(" (");
  figure(out, view, "estimate/step/low_seconds", step.low_seconds, seconds_text(step.low_seconds));
  out.text(" to ");
  figure(out, view, "estimate/step/high_seconds", step.high_seconds, seconds_text(step.high_seconds));
  out.text("), ");
  figure(out, view, "estimate/step/tokens_per_second_per_gpu", step.tokens_per_second_per_gpu,
         with_commas(std::llround(step.tokens_per_second_per_gpu)));
  out.text(" tokens/s on each GPU, ");
  figure(out, view, "estimate/step/common/flops_per_second_per_gpu", step.flops_per_second_per_gpu,
         fmt::format("{:.0f} TFLOP/s", step.flops_per_second_per_gpu / 1e12));
  out.text(" of work. ").text(bottleneck_sentence(step, *view.analysis().workload)).close();
}

void write_shares(Markup& out, const View& view, const StepEstimate& step) {
  const std::vector<TimePart> parts = largest_first(step);
  const double largest = parts.empty() ? 1 : step.parts[static_cast<std::size_t>(parts.front())];
  std::vector<LegendEntry> used;
  for (const LegendEntry& entry : styles) {
    if (std::ranges::any_of(parts, [&entry](TimePart part) { return style_of(part) == entry.style; }))
      used.push_back(entry);
  }
  legend(out, used);
  out.open("div", {{"class", "bars shares"}});
  for (const TimePart part : parts) {
    const double seconds = step.parts[static_cast<std::size_t>(part)];
    out.element("span", to_string(part), {{"class", "name"}});
    bar(out, {{seconds / largest, style_of(part)}});
    out.open("span", {{"class", "value"}});
    figure(out, view, fmt::format("estimate/step/parts_seconds/{}", to_string(part)), seconds, seconds_text(seconds));
    out.element("span", percent_text(seconds / step.seconds), {{"class", "share"}}).close().line();
  }
  out.close();
}

/// Why there is no step time.
std::string reason_text(const EstimateReport& report) {
  if (report.hardware == nullptr) return "No part is named, so there is no step time: --hardware MI300X, say.";
  return fmt::format("Step time unknown: {}.", reason_without_step(*report.analysis.workload, *report.hardware));
}

}  // namespace

void write_step(Markup& out, const View& view) {
  if (view.page.estimate == nullptr) return;
  const StepEstimate& step = view.page.estimate->estimate.step;
  open_section(out, view, "step", "Step time");
  const std::vector<std::string_view>& unknown = view.page.estimate->analysis.workload->unknown;
  if (!unknown.empty()) {
    out.element("p", fmt::format("Not counted: {}. The configuration does not state it, or no estimate covers it.",
                                 join(unknown, ", ")));
  }
  if (step.seconds > 0) {
    write_lead(out, view, step);
    for (const std::string& remark : step_remarks(*view.analysis().workload)) out.element("p", "Note: " + remark + ".");
    write_shares(out, view, step);
  } else {
    out.element("p", reason_text(*view.page.estimate));
  }
  out.close();
}

}  // namespace primus_plan::html
