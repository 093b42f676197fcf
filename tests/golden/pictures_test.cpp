// Pictures of pipelines and layouts, byte for byte, in the widths of real terminals.
#include "support/pictures.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "primus_plan/report/layout.h"
#include "primus_plan/report/timeline.h"
#include "primus_plan/support/number.h"
#include "support/golden.h"

namespace primus_plan::test {
namespace {

TextStyle style_of(int width, bool color) {
  TextStyle style;
  style.width = width;
  style.color = color;
  return style;
}

std::string timelines(const TextStyle& style) {
  struct Case {
    ScheduleKind schedule;
    std::int64_t ranks, chunks, micro_batches;
    TimelineView view;
  };
  const Case cases[] = {
      {ScheduleKind::one_f_one_b, 4, 1, 8, {.memory = true, .capacity_bytes = 64 * gib}},
      {ScheduleKind::interleaved, 4, 2, 4, {.capacity_bytes = 192 * gib}},
      {ScheduleKind::zero_bubble_1, 4, 1, 6, {}},
      {ScheduleKind::v_half, 2, 2, 4, {}},
      {ScheduleKind::one_f_one_b, 4, 1, 100, {.memory = true}},
      {ScheduleKind::one_f_one_b, 4, 1, 100, {.whole = true}},
      {ScheduleKind::one_f_one_b, 4, 1, 100, {.from = 1.0, .to = 2.0}},
      {ScheduleKind::gpipe, 48, 1, 8, {}},
  };
  std::string out;
  for (const Case& c : cases) {
    out += timeline_to_text(round_timeline(c.schedule, c.ranks, c.chunks, c.micro_batches), c.view, style) + "\n";
  }
  return out;
}

std::string layouts(const TextStyle& style) {
  std::string out;
  const auto add = [&](const RankLayout& layout, const LayoutView& view) {
    out += layout_picture(layout, view, style) + "\n";
  };
  add(round_layout(32, 4, 1, 2, 1), {});
  add(round_layout(16, 2, 2, 1, 4), {.by = "ep"});
  add(round_layout(24, 3, 1, 1, 1), {.by = "tp"});
  add(round_layout(1024, 8, 2, 8, 8), {});
  add(round_layout(512, 8, 1, 1, 1), {});
  add(round_layout(64, 8, 1, 2, 1), {.rank = 37});
  add(round_layout(2048, 8, 1, 4, 8), {.rank = 1037});
  add(round_layout(144, 8, 1, 2, 1, 72), {});
  add(round_layout(9, 1, 1, 1, 1), {});
  return out;
}

TEST(Pictures, TimelinesFitTheirTerminal) {
  for (const int width : {60, 80, 120}) {
    expect_golden(fmt::format("pictures/timeline_{}.txt", width), timelines(style_of(width, false)));
  }
}

TEST(Pictures, TimelinesInColor) { expect_golden("pictures/timeline_color.txt", timelines(style_of(80, true))); }

TEST(Pictures, LayoutsFitTheirTerminal) {
  for (const int width : {60, 80, 120}) {
    expect_golden(fmt::format("pictures/layout_{}.txt", width), layouts(style_of(width, false)));
  }
}

TEST(Pictures, LayoutsInColor) { expect_golden("pictures/layout_color.txt", layouts(style_of(80, true))); }

TEST(Pictures, TimelineAsJson) {
  Analysis analysis;
  analysis.path = "exp.yaml";
  analysis.module = "pre_trainer";
  analysis.framework = "megatron";
  analysis.run.launch.world_size = 16;
  Hardware hardware;
  hardware.name = "MI300X";
  hardware.memory_bytes = 192 * gib;
  const RunTimeline timeline = round_timeline(ScheduleKind::zero_bubble_1, 2, 1, 2);
  expect_golden("pictures/timeline.json", timeline_to_json({.analysis = analysis,
                                                            .timeline = timeline,
                                                            .hardware = hardware,
                                                            .hardware_source = "--hardware",
                                                            .notes = {"what if: 2 micro-batches"}}));
}

}  // namespace
}  // namespace primus_plan::test
