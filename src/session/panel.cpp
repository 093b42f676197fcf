#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/session/session.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/overview_text.h"
#include "report/paint.h"
#include "report/text_parts.h"
#include "session/draw.h"

namespace primus_plan::session {

namespace {

using Pieces = std::vector<std::string>;

constexpr int widest_bar = 24;

Pieces degrees(const RunDescription& run) {
  const Degrees& d = run.degrees;
  Pieces out{fmt::format("TP {}", count_text(d.tensor)), fmt::format("PP {}", count_text(d.pipeline))};
  if (d.virtual_pipeline > 1) out.push_back(fmt::format("VPP {}", d.virtual_pipeline));
  out.push_back(fmt::format("CP {}", count_text(d.context)));
  if (run.experts > 0) out.push_back(fmt::format("EP {}", count_text(d.expert)));
  if (run.experts > 0 && d.expert_tensor != d.tensor) out.push_back(fmt::format("ETP {}", count_text(d.expert_tensor)));
  out.push_back(fmt::format("DP {}", count_text(d.data)));
  return out;
}

Pieces batch(const Batch& b) {
  return {fmt::format("mbs {}", count_text(b.micro)), fmt::format("gbs {}", count_text(b.global)),
          fmt::format("accumulation {}", count_text(b.accumulation_steps)),
          fmt::format("seq {}", count_text(b.sequence_length)),
          fmt::format("{} tokens a step", human_count(static_cast<double>(b.tokens_per_step())))};
}

std::string fit_word(Fit fit, const Paint& paint) {
  if (fit == Fit::does_not_fit) return paint.bad(to_string(fit));
  return fit == Fit::tight ? paint.severity(Severity::warning, "tight") : paint.good(to_string(fit));
}

Pieces memory(const Evaluation& run, const Paint& paint, int width) {
  const Hardware& part = run.part.hardware;
  if (!run.estimate || run.estimate->memory.stages.empty())
    return {fmt::format("? of {:.0f} GiB", part.memory_bytes / gib)};
  const double bytes = run.estimate->memory.device.expected;
  const double share = part.memory_bytes > 0 ? bytes / part.memory_bytes : 0;
  const std::string drawn = bar(share, std::clamp(width - 40, 10, widest_bar));
  Pieces out{fmt::format("{} {:.0f} of {:.0f} GiB ({:.0f} %)", share > 1 ? paint.bad(drawn) : drawn, bytes / gib,
                         part.memory_bytes / gib, 100 * share)};
  if (run.estimate->fit) out.push_back(fit_word(*run.estimate->fit, paint));
  return out;
}

Pieces speed(const Evaluation& run) {
  if (!run.estimate) return {"?"};
  if (run.estimate->step.seconds <= 0)
    return {"? (" + reason_without_step(*run.analysis().workload, run.part.hardware) + ")"};
  const StepEstimate& step = run.estimate->step;
  return {fmt::format("{} tokens/s/GPU", count_text(step.tokens_per_second_per_gpu)),
          fmt::format("step {}", seconds_text(step.seconds)), fmt::format("MFU {:.1f} %", 100 * step.mfu),
          fmt::format("bubble {:.1f} %", 100 * step.bubble_share), run.fits() ? "" : "(if it fitted)"};
}

std::string verdict(const Analysis& analysis, const Paint& paint) {
  if (analysis.errors > 0) {
    return paint.severity(Severity::error, fmt::format("will not start: {}",
                                                       counted(static_cast<std::int64_t>(analysis.errors), "error")));
  }
  if (analysis.warnings > 0) {
    return paint.severity(Severity::warning,
                          fmt::format("starts, {}", counted(static_cast<std::int64_t>(analysis.warnings), "warning")));
  }
  return paint.good("starts");
}

std::size_t changes(const State& state) {
  return state.keys.size() + (state.world_size > 0 || state.nodes > 0 ? 1 : 0) + (state.hardware.empty() ? 0 : 1);
}

std::string machine(const Evaluation& run) {
  return fmt::format("{}{}", launch_to_text(run.run().launch), run.run().launch.assumed ? " (assumed)" : "");
}

std::string part_name(const Evaluation& run) {
  return fmt::format("{}{}", escape_controls(run.part.hardware.name), run.part.assumed ? " (assumed)" : "");
}

}  // namespace

Panel panel_of(const Session& session) {
  return {
      .run = session.now(), .changes = changes(session.state()), .goal = goal_text(session.desk.goal, *session.now())};
}

std::string panel_to_text(const Panel& panel, const TextStyle& style) {
  const Evaluation& run = *panel.run;
  const Paint paint(style.color);
  const int width = style.width;
  std::string out = flow("run", {machine(run), part_name(run)}, width);
  out += flow("degrees", degrees(run.run()), width);
  out += flow("batch", batch(run.run().batch), width);
  out += flow("memory", memory(run, paint, width), width);
  out += flow("speed", speed(run), width);
  const std::string changed = counted(static_cast<std::int64_t>(panel.changes), "change");
  return out + flow("verdict",
                    {verdict(run.analysis(), paint), changed, panel.goal.empty() ? "" : "goal " + panel.goal}, width);
}

}  // namespace primus_plan::session
