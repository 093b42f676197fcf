#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/estimate/timeline.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// What of a pipeline's timeline is drawn.
struct TimelineView {
  bool memory = false;              ///< a line of memory over time below each stage
  bool all = false;                 ///< every stage, however many
  bool whole = false;               ///< all the time in one piece, also where most of it is alike
  double capacity_bytes = 0;        ///< of one GPU, as the framework sees it; 0: nobody knows
  std::optional<double> from = {};  ///< seconds, of the time that the events cover; nothing: the beginning
  std::optional<double> to = {};    ///< nothing: the end
};

/// A pipeline as a picture for a terminal: a sentence, a scale, and for each stage its passes over time, the share of
/// its bubble and its memory at the fullest moment; a legend. Kinds of passes differ in their characters, with colour
/// in their background too. Long pipelines are drawn as their beginning and their end at one scale. No line is wider
/// than `style.width` (at least 40).
std::string timeline_to_text(const RunTimeline& timeline, const TimelineView& view, const TextStyle& style);

/// A timeline with what it is of.
struct TimelineReport {
  const Analysis& analysis;
  const RunTimeline& timeline;
  const Hardware& hardware;
  std::string hardware_source;
  std::vector<std::string> notes = {};  ///< sentences: what was changed, or was not played as asked
};

/// What it is of, in lines that fit, then the picture.
std::string timeline_to_text(const TimelineReport& report, const TimelineView& view, const TextStyle& style);

/// {"path", "module", "backend", "world_size", "world_size_assumed", "unknown", "hardware", "schedule",
/// "micro_batches", "shown_micro_batches", "seconds", "bubble_share", "stages": [{"pipeline_rank", "busy_seconds",
/// "bubble_share", "base_bytes", "peak_bytes", "memory": [[seconds, bytes], …]}], "events": [{"rank", "chunk",
/// "micro_batch", "kind", "start_seconds", "end_seconds"}], "notes"}. Kinds: forward, backward, backward_input,
/// backward_weight. Memory holds from its moment to the next.
std::string timeline_to_json(const TimelineReport& report);

/// "1f1b", "interleaved", "zb1p" …: the words of the planner.
std::string schedule_name(ScheduleKind kind);
/// Nothing for other words.
std::optional<ScheduleKind> find_schedule(std::string_view name);

}  // namespace primus_plan
