#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "primus_plan/report/estimate.h"
#include "primus_plan/report/timeline.h"
#include "primus_plan/run/workload.h"
#include "primus_plan/support/number.h"
#include "report/overview_text.h"
#include "report/paint.h"
#include "report/wrap.h"
#include "session/draw.h"
#include "session/show.h"
#include "support/whole_number.h"

namespace primus_plan::session {

namespace {

/// The run with its estimate. Throws Refusal where there is none.
EvaluationPtr estimated(const Session& session) {
  EvaluationPtr run = session.now();
  if (!run->is_legal()) throw Refusal("this run will not start, so nothing is estimated; see show findings");
  if (!run->estimate || run->estimate->memory.stages.empty()) throw Refusal("nothing can be estimated of this model");
  return run;
}

std::string estimate_json(const EvaluationPtr& run) {
  return estimate_to_json({.analysis = run->analysis(),
                           .estimate = *run->estimate,
                           .hardware = &run->part.hardware,
                           .hardware_source = run->part.from,
                           .calibration = {}});
}

Result page(const EvaluationPtr& run, std::string (*text)(const Evaluation&, const TextStyle&)) {
  Result out;
  out.text = [run, text](const TextStyle& style) { return text(*run, style); };
  out.json = [run] { return estimate_json(run); };
  return out;
}

int bar_columns(const TextStyle& style, int taken) { return std::clamp(style.width - taken, 8, 30); }

std::string memory_page(const Evaluation& run, const TextStyle& style) {
  const MemoryEstimate& memory = run.estimate->memory;
  const StageMemory& stage = memory.stages[memory.fullest];
  const double whole = run.part.hardware.memory_bytes;
  std::string text;
  for (std::size_t i = 0; i < memory_parts; ++i) {
    const double bytes = stage.parts[i];
    if (bytes < 0.0005 * stage.device()) continue;
    const double share = whole > 0 ? bytes / whole : 0;
    text += fmt::format("  {:<28} {:>10}  {}\n", to_string(static_cast<MemoryPart>(i)), gib_text(bytes),
                        bar(share, bar_columns(style, 44)));
  }
  text += fmt::format("  {:<28} {:>10}  {} to {}\n", "all", gib_text(memory.device.expected),
                      count_text(memory.device.low / gib), gib_text(memory.device.high));
  text += fmt::format("  {:<28} {:>10}\n", run.part.hardware.name, gib_text(whole));
  if (memory.stages.size() < 2) return text;
  return text +
         wrapped(fmt::format("  of pipeline rank {} of {}, the fullest; show stages has the others", memory.fullest,
                             memory.stages.size()),
                 4, style) +
         "\n";
}

std::string stages_page(const Evaluation& run, const TextStyle& style) {
  const MemoryEstimate& memory = run.estimate->memory;
  const Paint paint(style.color);
  const double whole = run.part.hardware.memory_bytes;
  std::string text;
  for (std::size_t rank = 0; rank < memory.stages.size(); ++rank) {
    const double bytes = memory.stages[rank].device();
    const double share = whole > 0 ? bytes / whole : 0;
    const std::string drawn = bar(share, bar_columns(style, 50));
    std::int64_t layers = 0;
    if (rank < run.run().stages.size()) {
      for (const StageChunk& chunk : run.run().stages[rank]) layers += chunk.layers;
    }
    text += fmt::format("  stage {:<3} {:>10} {:>10}  {} {:>4.0f} %\n", rank, counted(layers, "layer"), gib_text(bytes),
                        share > 1 ? paint.bad(drawn) : drawn, 100 * share);
  }
  return text;
}

}  // namespace

std::int64_t read_rank(const std::string& word, std::int64_t world_size) {
  const auto value = whole_number(word);
  if (value && *value >= 0 && *value < world_size) return *value;
  throw Refusal(fmt::format("no rank {}; there are 0 to {}", word, world_size - 1));
}

Result show_memory(Session& session, const Line& /*line*/) { return page(estimated(session), memory_page); }

Result show_stages(Session& session, const Line& /*line*/) { return page(estimated(session), stages_page); }

Result show_schedule(Session& session, const Line& line) {
  const EvaluationPtr run = estimated(session);
  const bool with_memory = line.count() > 2;
  if (with_memory && line[2] != "memory")
    throw Refusal("show schedule takes memory (a line of it below each stage), or nothing");
  auto timeline = std::make_shared<RunTimeline>(run_timeline(*run->analysis().workload, run->part.hardware));
  if (timeline->pipeline.busy.empty()) {
    const std::string reason = reason_without_step(*run->analysis().workload, run->part.hardware);
    throw Refusal(reason.empty() ? "the pipeline is too large to be played" : "step time unknown: " + reason);
  }
  const TimelineView view{.memory = with_memory, .capacity_bytes = run->part.hardware.memory_bytes};
  Result out;
  out.text = [timeline, view](const TextStyle& style) { return timeline_to_text(*timeline, view, style); };
  out.json = [run, timeline] {
    return timeline_to_json({.analysis = run->analysis(),
                             .timeline = *timeline,
                             .hardware = run->part.hardware,
                             .hardware_source = run->part.from});
  };
  return out;
}

}  // namespace primus_plan::session
