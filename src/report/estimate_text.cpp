#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "primus_plan/report/estimate.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/table.h"
#include "report/text_parts.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

constexpr int most_bar_columns = 24;
constexpr int bars_at = 54;  ///< columns before a bar

constexpr std::string_view framework_titles[] = {"Megatron", "TorchTitan", "MaxText"};

/// A bar of eighths of a column; as long as the terminal has room for.
std::string bar(double share, const TextStyle& style) {
  static constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int bar_columns = style.wraps ? std::clamp(style.width - bars_at, 0, most_bar_columns) : most_bar_columns;
  const auto ticks = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * bar_columns * 8));
  std::string out;
  for (std::size_t i = 0; i < ticks / 8; ++i) out += "█";
  return out + std::string(eighths[ticks % 8]);
}

std::string row(std::string_view label, std::string_view text, const TextStyle& style) {
  constexpr std::size_t text_at = 14;
  return wrapped(fmt::format("  {:<11} {}", label, text), text_at, style) + "\n";
}

std::string range_text(const MemoryRange& range) {
  return fmt::format("{:.1f} GiB ({:.0f} to {:.0f})", range.expected / gib, range.low / gib, range.high / gib);
}

std::string missing_facts(const Workload& workload, const TextStyle& style) {
  return workload.unknown.empty() ? std::string()
                                  : row("not counted",
                                        join(workload.unknown, ", ") +
                                            ": the config does not state it, "
                                            "or no estimate covers it",
                                        style);
}

std::string model_lines(const EstimateReport& report, const TextStyle& style) {
  const Estimate& estimate = report.estimate;
  std::string text = human_count(estimate.parameters.total()) + " parameters";
  if (report.analysis.workload->model.experts > 0)
    text += fmt::format(", {} of them active", human_count(estimate.active.total()));
  if (const double prediction = estimate.parameters.prediction(); prediction > 0) {
    text += fmt::format("; {} without multi-token prediction", human_count(estimate.parameters.total() - prediction));
  }
  std::string out = row("model", text, style);
  std::string parts;
  for (std::size_t i = 0; i < parameter_parts; ++i) {
    const auto part = static_cast<ParameterPart>(i);
    if (estimate.parameters[part] <= 0) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", to_string(part), human_count(estimate.parameters[part]));
  }
  return out + row("", parts, style);
}

std::string run_line(const RunDescription& run, const TextStyle& style) {
  const Degrees& degrees = run.degrees;
  std::string text = counted(run.launch.world_size, "GPU");
  const auto add = [&text](std::string_view name, std::int64_t value) {
    if (value > 1) text += fmt::format(", {} {}", name, value);
  };
  add("TP", degrees.tensor);
  add("PP", degrees.pipeline);
  add("VPP", degrees.virtual_pipeline);
  add("CP", degrees.context);
  add("EP", degrees.expert);
  add("DP", degrees.data);
  const auto known = [](std::int64_t value) { return value > 0 ? with_commas(value) : std::string("unknown"); };
  text += fmt::format(", micro-batch {}, {} of {} tokens a step", known(run.batch.micro),
                      run.batch.global > 0 ? counted(run.batch.global, "sample") : "unknown samples",
                      known(run.batch.sequence_length));
  if (run.launch.assumed) text += fmt::format(" (size assumed: {}; see --nodes)", escape_controls(run.launch.source));
  return row("run", text, style);
}

std::string flops_lines(const EstimateReport& report, const TextStyle& style) {
  const FlopsEstimate& flops = report.estimate.flops;
  if (flops.tokens_per_step <= 0) return row("FLOPs", "the batch cannot be derived: no work is counted", style);
  const std::string_view title = framework_titles[static_cast<std::size_t>(report.analysis.workload->counted_as)];
  const std::string counted_text =
      flops.counted_per_token > 0 ? fmt::format("{} a token as {} counts", human_count(flops.counted_per_token), title)
                                  : fmt::format("{} cannot count this model", title);
  std::string out =
      row("FLOPs",
          fmt::format("{}; {} of work (causal attention by half)", counted_text, human_count(flops.common_per_token)),
          style);
  return out + row("",
                   fmt::format("{} of work a step, {} on each GPU", human_count(flops.common_per_step()),
                               human_count(flops.common_per_gpu())),
                   style);
}

/// One bar a part, of the whole.
template <class Parts, class Value, class Name>
std::string bars(std::size_t count, const Parts& parts, double whole, const TextStyle& style, Value&& value,
                 Name&& name) {
  const bool is_narrow = style.wraps && style.width < bars_at;
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = whole > 0 ? parts[i] / whole : 0;
    if (share < 0.0005) continue;
    const std::string drawn = bar(share, style);
    out += fmt::format("    {:<{}}{}{:>11} {:>5.1f} %{}{}\n", name(i), is_narrow ? 0 : 28, is_narrow ? "\n      " : " ",
                       value(parts[i]), 100 * share, drawn.empty() ? "" : "  ", drawn);
  }
  return out;
}

std::string memory_bars(const StageMemory& stage, const TextStyle& style) {
  return bars(
      memory_parts, stage.parts, stage.device(), style,
      [](double bytes) { return fmt::format("{:.2f} GiB", bytes / gib); },
      [](std::size_t i) { return to_string(static_cast<MemoryPart>(i)); });
}

/// What a rank's memory cannot be told without.
std::string reason_without_memory(const Workload& workload) {
  if (workload.run.degrees.data > 0) return "unknown: the layers cannot be placed on the stages";
  return fmt::format("unknown: the parallel degrees do not fill {}", counted(workload.run.launch.world_size, "GPU"));
}

std::string memory_lines(const EstimateReport& report, const TextStyle& style) {
  const MemoryEstimate& memory = report.estimate.memory;
  if (memory.stages.empty()) return row("memory", reason_without_memory(*report.analysis.workload), style);
  const Paint paint(style.color);
  std::string text = fmt::format("{} a GPU", range_text(memory.device));
  if (memory.stages.size() > 1)
    text += fmt::format(" on pipeline rank {} of {}, the fullest", memory.fullest, memory.stages.size());
  if (report.hardware != nullptr && report.estimate.fit) {
    const Fit fit = *report.estimate.fit;
    const Severity severity = fit == Fit::does_not_fit ? Severity::error : Severity::warning;
    const std::string word(to_string(fit));
    text += fmt::format("; {} in the {:.0f} GiB of {}",
                        fit == Fit::fits ? paint.good(word) : paint.severity(severity, word),
                        report.hardware->memory_bytes / gib, report.hardware->name);
  }
  std::string out = row("memory", text, style);
  out += row("", fmt::format("of which the framework allocates {}", range_text(memory.allocated)), style);
  return out + memory_bars(memory.stages[memory.fullest], style);
}

/// Numbers of each stage; the narrow form breaks rows where the terminal is narrower than it is.
std::string stage_table(const EstimateReport& report, const TextStyle& style) {
  constexpr int usual_columns = 80;
  const MemoryEstimate& memory = report.estimate.memory;
  if (memory.stages.size() < 2) return {};
  const Paint paint(style.color);
  Table narrow({"rank", "parameters", "weights", "gradients", "optimizer", "activ.", "in flight", "device"});
  std::string out = paint.bold(fmt::format("    {:>4} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}", "rank", "parameters",
                                           "weights", "gradients", "optimizer", "activ.", "in flight", "device")) +
                    "\n";
  for (std::size_t rank = 0; rank < memory.stages.size(); ++rank) {
    const StageMemory& stage = memory.stages[rank];
    const std::string parameters = human_count(rank_parameters(*report.analysis.workload, rank).total());
    const std::array<double, 6> numbers{stage[MemoryPart::weights] / gib,
                                        stage[MemoryPart::gradients] / gib,
                                        stage[MemoryPart::optimizer] / gib,
                                        stage[MemoryPart::activations] / gib,
                                        stage.in_flight,
                                        stage.device() / gib};
    std::vector<std::string> row{fmt::format("{}", rank), parameters};
    out += fmt::format("    {:>4} {:>11}", rank, parameters);
    for (const double number : numbers) {
      out += fmt::format(" {:>9.2f}", number);
      row.push_back(fmt::format("{:.2f}", number));
    }
    out += "\n";
    narrow.add(std::move(row));
  }
  const bool is_narrow = style.wraps && style.width < usual_columns;
  return (is_narrow ? narrow.text(paint, style) : out) + "    GiB; in flight: micro-batches\n";
}

std::string step_lines(const EstimateReport& report, const TextStyle& style) {
  const StepEstimate& step = report.estimate.step;
  if (report.hardware == nullptr) {
    return row("step", "name a part with --hardware (MI300X, say) to see whether it fits and how long a step takes",
               style);
  }
  if (step.seconds <= 0)
    return row("step", "step time unknown: " + reason_without_step(*report.analysis.workload, *report.hardware), style);
  std::string out =
      row("step",
          fmt::format("{} ({} to {}): {} tokens/s on each GPU", seconds_text(step.seconds),
                      seconds_text(step.low_seconds), seconds_text(step.high_seconds),
                      with_commas(static_cast<std::int64_t>(std::llround(step.tokens_per_second_per_gpu)))),
          style);
  const std::string_view title = framework_titles[static_cast<std::size_t>(report.analysis.workload->counted_as)];
  std::string rates =
      fmt::format("{:.0f} TFLOP/s of work on each GPU, MFU {:.1f} % of {}'s {} TFLOP/s",
                  step.flops_per_second_per_gpu / 1e12, 100 * step.mfu, name_of(report.analysis.workload->precision),
                  with_commas(std::llround(report.estimate.peak_flops / 1e12)));
  if (report.estimate.flops.counted_per_token > 0) {
    rates += fmt::format("; {:.0f} TFLOP/s as {} counts, MFU {:.1f} %", step.counted_flops_per_second_per_gpu / 1e12,
                         title, 100 * report.estimate.counted_mfu());
  }
  out += row("", rates, style);
  out += row("", bottleneck_sentence(step, *report.analysis.workload), style);
  for (const std::string& remark : step_remarks(*report.analysis.workload)) out += row("", "note: " + remark, style);
  return out + bars(
                   time_parts, step.parts, step.seconds, style, [](double seconds) { return seconds_text(seconds); },
                   [](std::size_t i) { return to_string(static_cast<TimePart>(i)); });
}

std::string assumption_lines(const EstimateReport& report, const TextStyle& style) {
  std::string out = "  assumed\n";
  const MemoryDevice device = memory_device(report.hardware);
  for (const std::string& line : memory_assumptions(*report.analysis.workload, report.estimate.memory, device)) {
    out += wrapped("    - " + line, 6, style) + "\n";
  }
  return out;
}

}  // namespace

std::string estimate_to_text(const EstimateReport& report, const TextStyle& style) {
  const Analysis& analysis = report.analysis;
  const Paint paint(style.color);
  std::string title = fmt::format("{} ({}, {})", escape_controls(analysis.path), escape_controls(analysis.module),
                                  escape_controls(analysis.framework));
  std::string text = wrapped(paint.bold(title), 2, style) + "\n";
  if (analysis.errors > 0) {
    text += row("",
                fmt::format("this run will not start: {}; see primus-plan check",
                            counted(static_cast<std::int64_t>(analysis.errors), "error")),
                style);
  }
  text += missing_facts(*analysis.workload, style);
  if (analysis.workload->model.kinds.empty()) return text;
  if (report.hardware != nullptr)
    text +=
        row("hardware", escape_controls(fmt::format("{} ({})", report.hardware->name, report.hardware_source)), style);
  if (!report.calibration.empty()) text += row("calibrated", escape_controls(report.calibration), style);
  text += model_lines(report, style) + run_line(analysis.workload->run, style) + flops_lines(report, style) +
          memory_lines(report, style);
  if (style.verbose) text += stage_table(report, style);
  text += step_lines(report, style);
  if (style.verbose) text += assumption_lines(report, style);
  return text;
}

}  // namespace primus_plan
