#include <algorithm>

#include "primus_plan/report/layout.h"
#include "primus_plan/report/timeline.h"
#include "report/html/map.h"
#include "report/html/sections.h"
#include "report/json_parts.h"
#include "report/json_writer.h"

namespace primus_plan::html {

namespace {

/// Groups of tens of thousands of ranks, written out, would be most of the page; "map" has their sizes.
constexpr std::size_t most_layout_bytes = 100'000;

void write_timeline_json(JsonWriter& json, const RunTimeline& run) {
  const PipelineTimeline& pipeline = run.pipeline;
  if (pipeline.busy.size() < 2 || pipeline.seconds <= 0) {
    json.null();
    return;
  }
  // As `pipeline --format json` has it, without the events and the lines of memory: those are drawn.
  json.begin_object().key("schedule").string(schedule_name(run.played));
  json.key("micro_batches").integer(run.micro_batches).key("shown_micro_batches").integer(run.shown);
  json.key("seconds").real(pipeline.seconds).key("bubble_share").real(pipeline.bubble_share);
  json.key("stages").begin_array();
  for (std::size_t stage = 0; stage < pipeline.busy.size(); ++stage) {
    json.begin_object().key("busy_seconds").real(pipeline.busy[stage]);
    json.key("bubble_share").real(std::max(0.0, 1 - pipeline.busy[stage] / pipeline.seconds));
    if (stage < pipeline.in_flight.size()) json.key("in_flight").real(pipeline.in_flight[stage]);
    if (stage < run.base_bytes.size() && stage < run.memory.size() && !run.memory[stage].empty()) {
      json.key("base_bytes").real(run.base_bytes[stage]);
      json.key("peak_bytes").real(std::ranges::max_element(run.memory[stage], {}, &StageMemoryPoint::bytes)->bytes);
    }
    json.end_object();
  }
  json.end_array().end_object();
}

void write_page_module(JsonWriter& json, const PageModule& module) {
  json.begin_object().key("check");
  write_module(json, module.analysis);
  json.key("estimate");
  module.estimate != nullptr ? json.raw(estimate_to_json(*module.estimate)) : json.null();
  json.key("layout");
  const std::string layout = module.layout.is_placed() ? layout_to_json(module.layout, {}) : std::string();
  !layout.empty() && layout.size() <= most_layout_bytes ? json.raw(layout) : json.null();
  json.key("map");
  write_map_json(json, module.layout);
  json.key("timeline");
  write_timeline_json(json, module.timeline);
  json.key("plan");
  module.plan != nullptr ? json.raw(plan_to_json(*module.plan)) : json.null();
  json.key("sweeps").begin_array();
  for (const SweepReport& sweep : module.sweeps) json.raw(sweep_to_json(sweep));
  json.end_array().end_object();
}

}  // namespace

std::string page_json(const Page& page) {
  JsonWriter json;
  json.begin_object().key("schema").string("primus-plan/page/1").key("path").string(page.path);
  json.key("load_errors").begin_array();
  for (const Finding& finding : page.load_errors) primus_plan::write_finding(json, finding, {}, page.path);
  json.end_array().key("modules").begin_array();
  for (const PageModule& module : page.modules) write_page_module(json, module);
  json.end_array().end_object();
  return json.take();
}

}  // namespace primus_plan::html
