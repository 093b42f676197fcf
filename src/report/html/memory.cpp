#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/support/number.h"
#include "report/html/sections.h"

namespace primus_plan::html {

namespace {

/// Colours are few: parts that belong together share one.
constexpr std::array<LegendEntry, 6> groups{{{"p0", "weights"},
                                             {"p1", "gradients"},
                                             {"p2", "optimizer"},
                                             {"p3", "activations"},
                                             {"p4", "logits and transients"},
                                             {"p5", "communication, reserve, runtime"}}};

std::size_t group_of(MemoryPart part) {
  switch (part) {
    case MemoryPart::weights:
    case MemoryPart::gathered_weights:
      return 0;
    case MemoryPart::gradients:
    case MemoryPart::unsharded_gradients:
    case MemoryPart::placeholder_gradients:
      return 1;
    case MemoryPart::optimizer:
      return 2;
    case MemoryPart::activations:
      return 3;
    case MemoryPart::logits:
    case MemoryPart::transients:
      return 4;
    case MemoryPart::communication:
    case MemoryPart::reserve:
    case MemoryPart::runtime:
      break;
  }
  return 5;
}

/// Stages drawn and listed; a pipeline of more is folded.
constexpr std::size_t most_stages = 64;

class MemorySection {
 public:
  MemorySection(Markup& out, const View& view)
      : out_(out),
        view_(view),
        report_(*view.page.estimate),
        memory_(report_.estimate.memory),
        rows_(choose_rows(memory_.stages.size(), most_stages)) {
    capacity_ = report_.hardware != nullptr ? report_.hardware->memory_bytes : 0;
    for (const StageMemory& stage : memory_.stages) scale_ = std::max(scale_, stage.device());
    scale_ = std::max(scale_, memory_.device.high);
    scale_ = std::max(scale_ * 1.02, capacity_ * 1.02);
  }

  void write() {
    open_section(out_, view_, "memory", "Memory");
    lead();
    chart();
    table();
    assumptions();
    out_.close();
  }

 private:
  void lead() {
    out_.open("p", {{"class", "lead"}}).text("The fullest GPU, ");
    if (memory_.stages.size() > 1) out_.text(fmt::format("of pipeline stage {}, ", memory_.fullest));
    out_.text("needs ");
    figure(out_, view_, "estimate/memory/device_bytes/expected", memory_.device.expected,
           gib_text(memory_.device.expected));
    out_.text(" (");
    figure(out_, view_, "estimate/memory/device_bytes/low", memory_.device.low, gib_text(memory_.device.low));
    out_.text(" to ");
    figure(out_, view_, "estimate/memory/device_bytes/high", memory_.device.high, gib_text(memory_.device.high));
    out_.text(")");
    if (capacity_ > 0) {
      out_.text(" of the ");
      figure(out_, view_, "estimate/hardware/memory_bytes", capacity_, gib_text(capacity_));
      out_.text(fmt::format(" that a framework sees on {}", report_.hardware->name));
    }
    if (report_.estimate.fit) out_.text(fmt::format(": it {}", to_string(*report_.estimate.fit)));
    out_.text(".").close();
  }

  void chart() {
    legend(out_, {groups.begin(), groups.end()});
    out_.open("div", {{"class", "bars"}});
    for (const std::size_t stage : rows_.first) row(stage);
    if (rows_.hidden > 0)
      out_.element("p",
                   fmt::format("{} between {} not drawn", counted(static_cast<std::int64_t>(rows_.hidden), "stage"),
                               rows_.hidden == 1 ? "is" : "are"),
                   {{"class", "gap"}});
    for (const std::size_t stage : rows_.last) row(stage);
    out_.close();
    if (capacity_ > 0) out_.element("p", fmt::format("The line marks {}.", gib_text(capacity_)), {{"class", "note"}});
  }

  void row(std::size_t rank) {
    const StageMemory& stage = memory_.stages[rank];
    std::array<double, groups.size()> sums{};
    for (std::size_t i = 0; i < memory_parts; ++i) sums[group_of(static_cast<MemoryPart>(i))] += stage.parts[i];
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < sums.size(); ++i) pieces.push_back({sums[i] / scale_, groups[i].style});
    out_.element("span", memory_.stages.size() == 1 ? std::string("each GPU") : fmt::format("stage {}", rank),
                 {{"class", "name"}});
    bar(out_, pieces, capacity_ > 0 ? capacity_ / scale_ : -1);
    out_.element("span", gib_text(stage.device()), {{"class", "value"}}).line();
  }

  std::vector<MemoryPart> parts_used() const {
    std::vector<MemoryPart> out;
    for (std::size_t i = 0; i < memory_parts; ++i) {
      const auto part = static_cast<MemoryPart>(i);
      if (std::ranges::any_of(memory_.stages, [part](const StageMemory& stage) { return stage[part] > 0; }))
        out.push_back(part);
    }
    return out;
  }

  void table() {
    const std::vector<MemoryPart> parts = parts_used();
    out_.open("details").element("summary", "Every part in numbers");
    out_.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
    out_.element("caption", "GiB of one GPU; in flight: micro-batches whose activations are held");
    out_.open("thead").open("tr").element("th", "stage", {{"scope", "col"}});
    for (const MemoryPart part : parts) out_.element("th", to_string(part), {{"scope", "col"}});
    for (const char* name : {"in flight", "allocated", "device"}) out_.element("th", name, {{"scope", "col"}});
    out_.close().close().open("tbody");
    for (const std::size_t stage : rows_.first) numbers(stage, parts);
    for (const std::size_t stage : rows_.last) numbers(stage, parts);
    out_.close().close().close().close();
  }

  void number(std::string_view path, double value, const std::string& text) {
    out_.open("td");
    figure(out_, view_, path, value, text);
    out_.close();
  }

  void numbers(std::size_t rank, const std::vector<MemoryPart>& parts) {
    const StageMemory& stage = memory_.stages[rank];
    const std::string at = fmt::format("estimate/memory/stages/{}/", rank);
    out_.open("tr").element("th", fmt::format("{}", rank), {{"scope", "row"}});
    for (const MemoryPart part : parts) {
      if (stage[part] > 0) {
        number(fmt::format("{}parts_bytes/{}", at, to_string(part)), stage[part],
               fmt::format("{:.2f}", stage[part] / gib));
      } else {
        out_.element("td", "0");
      }
    }
    number(at + "micro_batches_in_flight", stage.in_flight, fmt::format("{:.2f}", stage.in_flight));
    number(at + "allocated_bytes", stage.allocated(), fmt::format("{:.2f}", stage.allocated() / gib));
    number(at + "device_bytes", stage.device(), fmt::format("{:.2f}", stage.device() / gib));
    out_.close().line();
  }

  void assumptions() {
    const std::vector<std::string> lines =
        memory_assumptions(*report_.analysis.workload, memory_, memory_device(report_.hardware));
    if (lines.empty()) return;
    out_.open("details").element("summary", "What the estimate takes for granted").open("ul");
    for (const std::string& line : lines) out_.element("li", line);
    out_.close().close();
  }

  Markup& out_;
  const View& view_;
  const EstimateReport& report_;
  const MemoryEstimate& memory_;
  Rows rows_;
  double capacity_ = 0;
  double scale_ = 1;  ///< bytes of a whole bar
};

}  // namespace

void write_memory(Markup& out, const View& view) {
  if (view.page.estimate == nullptr || view.page.estimate->estimate.memory.stages.empty()) return;
  MemorySection(out, view).write();
}

}  // namespace primus_plan::html
