#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/report/advise.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/overview_text.h"
#include "report/paint.h"
#include "report/wrap.h"

namespace primus_plan {
namespace {

/// A line folded at the width, at a terminal or not; the rest is indented below it.
std::string folded(const std::string& text, std::string_view lead, int columns) {
  TextStyle style;
  style.wraps = true;
  style.width = std::max(columns, 40);
  return wrapped(std::string(lead) + text, lead.size(), style) + "\n";
}

std::string lines(const std::vector<std::string>& list, int width) {
  std::string text;
  for (const std::string& line : list) text += folded(escape_controls(line), "  - ", width);
  return text;
}

std::string top_text(const AdviceReport& report, const TextStyle& style, const Paint& paint) {
  std::string text = "\n" + paint.bold("changes that help most") +
                     fmt::format(" (of {} tried)\n", with_commas(static_cast<std::int64_t>(report.advice.tried)));
  if (report.advice.top.empty()) return text + "  none: nothing near is faster and fits\n";
  int number = 0;
  for (const TopChange& change : report.advice.top) {
    const Estimate& estimate = *change.trial.estimate;
    text += folded(escape_controls(change.what), fmt::format("  {}. ", ++number), style.width);
    text +=
        folded(fmt::format("{:+.1f} % throughput: {} tokens/s/GPU, {:.0f} GiB on the fullest GPU ({}), bubble {:.1f} %",
                           100 * change.gain, with_commas(std::llround(estimate.step.tokens_per_second_per_gpu)),
                           estimate.memory.device.expected / gib, estimate.fit ? to_string(*estimate.fit) : "unknown",
                           100 * estimate.step.bubble_share),
               "     ", style.width);
  }
  return text;
}

}  // namespace

std::string advice_to_text(const AdviceReport& report, const TextStyle& style) {
  const Paint paint(style.color);
  const RunDescription& run = report.analysis.run;
  const std::string head =
      fmt::format("{} ({}, {}): {}, TP {} x PP {} x CP {}, EP {}, DP {}; {}, global batch {}",
                  escape_controls(report.analysis.path), escape_controls(report.analysis.module),
                  escape_controls(report.analysis.framework), counted(run.launch.world_size, "GPU"), run.degrees.tensor,
                  run.degrees.pipeline, run.degrees.context, run.degrees.expert, run.degrees.data,
                  micro_batch_text(run.batch), with_commas(run.batch.global));
  std::string text = wrapped(head, 2, style) + "\n";
  if (!report.advice.not_counted.empty())
    text += wrapped("note: the estimates do not count " + join(report.advice.not_counted, ", ") +
                        ": memory and time are too small",
                    6, style) +
            "\n";
  text += "\n" + paint.bold("where it stands") + "\n" + lines(report.advice.standing, style.width);
  for (const GoalAdvice& goal : report.advice.goals) {
    text += "\n" + paint.bold(wrapped(goal.goal, 2, style)) + "\n" + lines(goal.lines, style.width);
  }
  text += "\n" + paint.bold("learning rate") + "\n" + lines(report.advice.learning_rate, style.width);
  text += top_text(report, style, paint);
  const std::string line = fmt::format("memory and time are estimates for {}", escape_controls(report.hardware));
  return text + "\n" + wrapped(line, 2, style) + "\n";
}

}  // namespace primus_plan
