#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/report/sweep.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/table.h"
#include "report/text_parts.h"
#include "report/wrap.h"

namespace primus_plan {
namespace {

std::string count_or_gap(std::int64_t value) { return value > 0 ? with_commas(value) : "-"; }

std::string memory_text(const Trial& trial) {
  if (!trial.estimate || trial.estimate->memory.stages.empty()) return "-";
  const MemoryRange& range = trial.estimate->memory.device;
  return fmt::format("{:.0f} ({:.0f}-{:.0f})", range.expected / gib, range.low / gib, range.high / gib);
}

std::string fit_text(const Trial& trial) {
  if (!trial.estimate || !trial.estimate->fit) return "-";
  switch (*trial.estimate->fit) {
    case Fit::fits:
      return "yes";
    case Fit::tight:
      return "tight";
    case Fit::does_not_fit:
      return "no";
  }
  return "-";
}

double tokens_of(const Trial& trial) { return trial.estimate ? trial.estimate->step.tokens_per_second_per_gpu : 0; }

std::string tokens_text(const Trial& trial) {
  const double tokens = tokens_of(trial);
  return tokens > 0 ? with_commas(std::llround(tokens)) : "-";
}

std::string bubble_text(const Trial& trial) {
  if (tokens_of(trial) <= 0) return "-";
  return fmt::format("{:.1f} %", 100 * trial.estimate->step.bubble_share);
}

std::vector<std::string> header(const Sweep& sweep) {
  std::vector<std::string> out;
  for (const SweepAxis& axis : sweep.axes) out.push_back(escape_controls(axis.name));
  for (const char* name : {"", "DP", "accum", "tokens/step", "memory GiB", "fits", "tok/s/GPU", "bubble"}) {
    out.emplace_back(name);
  }
  return out;
}

std::vector<std::string> row(const SweepPoint& point) {
  std::vector<std::string> out;
  for (const NodePtr& value : point.values) out.push_back(escape_controls(to_text(*value)));
  if (point.letter != 0) {
    out.emplace_back(1, point.letter);
    return out;
  }
  const RunDescription& run = point.trial.analysis.run;
  out.insert(out.end(), {"", count_or_gap(run.degrees.data), count_or_gap(run.batch.accumulation_steps),
                         count_or_gap(run.batch.tokens_per_step()), memory_text(point.trial), fit_text(point.trial),
                         tokens_text(point.trial), bubble_text(point.trial)});
  return out;
}

std::string legend_text(const Sweep& sweep, const Paint& paint, const TextStyle& style) {
  std::string text;
  for (const SweepReason& reason : sweep.legend) {
    std::vector<std::string> rules;
    for (const RuleInfo* rule : reason.rules) rules.push_back(fmt::format("{} {}", rule->id, rule->name));
    const std::string line = fmt::format("  {}  {}{}{}", paint.bold(std::string(1, reason.letter)), join(rules, ", "),
                                         rules.empty() ? "" : ": ", escape_controls(reason.message));
    text += wrapped(line, 5, style) + "\n";
  }
  return text.empty() ? text : "\nillegal:\n" + text;
}

std::string bar(double share, int width, char mark) {
  const int length = std::clamp(static_cast<int>(std::lround(share * width)), 0, width);
  return std::string(static_cast<std::size_t>(length), mark) +
         std::string(static_cast<std::size_t>(width - length), ' ');
}

/// A bar of memory against the part's, and one of throughput against the best.
std::string plot_line(const SweepPoint& point, double best, double capacity, int width) {
  const Trial& trial = point.trial;
  std::string line;
  if (best > 0) line += fmt::format(" |{}| {:>8}", bar(tokens_of(trial) / best, width, '#'), tokens_text(trial));
  if (capacity <= 0) return line;
  const double memory = trial.estimate ? trial.estimate->memory.device.expected : 0;
  const char mark = memory > capacity ? '!' : '=';
  return line + fmt::format(" |{}| {:>4.0f} %", bar(memory / capacity, width, mark), 100 * memory / capacity);
}

std::string plot(const Sweep& sweep, int columns) {
  double best = 0;
  const std::string name = escape_controls(sweep.axes.front().name);
  std::size_t name_width = display_width(name);
  for (const SweepPoint& point : sweep.points) {
    best = std::max(best, tokens_of(point.trial));
    name_width = std::max(name_width, display_width(escape_controls(to_text(*point.values.front()))));
  }
  const double capacity = sweep.hardware != nullptr ? sweep.hardware->memory_bytes : 0;
  if (best <= 0 && capacity <= 0) return {};
  const int width = std::clamp((columns - static_cast<int>(name_width) - 28) / 2, 4, 30);
  std::string text = "\n  " + padded(name, name_width);
  if (best > 0) text += fmt::format("  {:<{}}", "tokens/s/GPU", width + 11);
  if (capacity > 0) text += fmt::format(" memory of {:.0f} GiB", capacity / gib);
  text += '\n';
  for (const SweepPoint& point : sweep.points) {
    text +=
        fmt::format("  {}{}\n", padded(escape_controls(to_text(*point.values.front())), name_width),
                    point.letter != 0 ? fmt::format("  {}", point.letter) : plot_line(point, best, capacity, width));
  }
  return text;
}

std::string remarks(const SweepReport& report) {
  std::string text;
  if (report.sweep.hardware != nullptr) {
    text += fmt::format("memory and time are estimates for {} ({}); memory with the interval that most runs lie in\n",
                        report.sweep.hardware->name, escape_controls(report.hardware_source));
  }
  if (!report.sweep.unknown.empty()) {
    text += fmt::format("the estimates lack {}\n", join(report.sweep.unknown, ", "));
  }
  for (const std::string& note : report.sweep.notes) text += note + "\n";
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string sweep_to_text(const SweepReport& report, const TextStyle& style) {
  const Paint paint(style.color);
  const Sweep& sweep = report.sweep;
  const Analysis& base = report.base;
  const RunDescription& run = base.run;
  const std::string head =
      fmt::format("{} ({}, {}): {}{} from {}, TP {} x PP {} x CP {}, EP {}", escape_controls(base.path),
                  escape_controls(base.module), escape_controls(base.framework),
                  counted(static_cast<std::int64_t>(sweep.points.size()), "point"),
                  sweep.complete ? "" : paint.severity(Severity::warning, ", stopped before the end,"),
                  counted(run.launch.world_size, "GPU"), run.degrees.tensor, run.degrees.pipeline, run.degrees.context,
                  run.degrees.expert);
  std::string text = wrapped(head, 2, style) + "\n\n";
  Table table(header(sweep));
  for (const SweepPoint& point : sweep.points) table.add(row(point));
  text += table.text(paint, style);
  text += legend_text(sweep, paint, style);
  if (sweep.axes.size() == 1) text += plot(sweep, style.width);
  return text + wrapped_lines(remarks(report), style);
}

}  // namespace primus_plan
