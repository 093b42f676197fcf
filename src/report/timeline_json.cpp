#include <algorithm>

#include "primus_plan/report/timeline.h"
#include "primus_plan/run/workload.h"
#include "report/json_parts.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

std::string_view kind_name(PassKind kind) {
  switch (kind) {
    case PassKind::forward:
      return "forward";
    case PassKind::backward_input:
      return "backward_input";
    case PassKind::backward_weight:
      return "backward_weight";
    case PassKind::backward:
      break;
  }
  return "backward";
}

void write_stage(JsonWriter& json, const RunTimeline& timeline, std::size_t rank) {
  const PipelineTimeline& pipeline = timeline.pipeline;
  json.begin_object();
  json.key("pipeline_rank").integer(static_cast<std::int64_t>(rank));
  json.key("busy_seconds").real(pipeline.busy[rank]);
  json.key("bubble_share").real(pipeline.seconds > 0 ? std::max(0.0, 1 - pipeline.busy[rank] / pipeline.seconds) : 0);
  json.key("base_bytes");
  rank < timeline.base_bytes.size() ? json.real(timeline.base_bytes[rank]) : json.null();
  json.key("peak_bytes");
  if (rank < timeline.memory.size()) {
    double peak = 0;
    for (const StageMemoryPoint& point : timeline.memory[rank]) peak = std::max(peak, point.bytes);
    json.real(peak);
    json.key("memory").begin_array(Layout::one_line);
    for (const StageMemoryPoint& point : timeline.memory[rank]) {
      json.begin_array(Layout::one_line).real(point.seconds).real(point.bytes).end_array();
    }
    json.end_array();
  } else {
    json.null();
    json.key("memory").begin_array(Layout::one_line).end_array();
  }
  json.end_object();
}

void write_event(JsonWriter& json, const PipelineEvent& event) {
  json.begin_object(Layout::one_line);
  json.key("rank").integer(event.rank).key("chunk").integer(event.chunk);
  json.key("micro_batch").integer(event.micro_batch).key("kind").string(kind_name(event.kind));
  json.key("start_seconds").real(event.start).key("end_seconds").real(event.end);
  json.end_object();
}

}  // namespace

std::string timeline_to_json(const TimelineReport& report) {
  const RunTimeline& timeline = report.timeline;
  JsonWriter json;
  json.begin_object();
  write_run_identity(json, report.analysis);
  json.key("errors").integer(static_cast<std::int64_t>(report.analysis.errors));
  json.key("unknown").begin_array(Layout::one_line);
  if (report.analysis.workload != nullptr) {
    for (const std::string_view fact : report.analysis.workload->unknown) json.string(fact);
  }
  json.end_array();
  json.key("hardware");
  write_part(json, report.hardware, report.hardware_source);
  json.key("schedule").string(schedule_name(timeline.played));
  json.key("micro_batches").integer(timeline.micro_batches);
  json.key("shown_micro_batches").integer(timeline.shown);
  json.key("seconds").real(timeline.pipeline.seconds);
  json.key("bubble_share").real(timeline.pipeline.bubble_share);
  json.key("stages").begin_array();
  for (std::size_t rank = 0; rank < timeline.pipeline.busy.size(); ++rank) write_stage(json, timeline, rank);
  json.end_array();
  json.key("events").begin_array();
  for (const PipelineEvent& event : timeline.pipeline.events) write_event(json, event);
  json.end_array();
  json.key("notes").begin_array();
  for (const std::string& note : report.notes) json.string(note);
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
