// What must hold for every picture: it fits, and it says what the timeline and the layout say.
#include "support/pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "primus_plan/report/layout.h"
#include "primus_plan/report/timeline.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/layout_nodes.h"
#include "report/timeline_cells.h"

namespace primus_plan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int widths[] = {40, 60, 80, 99, 100, 120, 200};

std::string without_color(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

void expect_fits(const std::string& text, int width) {
  for (const std::string& line : lines_of(text)) {
    EXPECT_LE(display_width(without_color(line)), static_cast<std::size_t>(width)) << line;
    EXPECT_FALSE(line.ends_with(' ')) << '"' << line << '"';
  }
}

TextStyle style_of(int width, bool color = false) {
  TextStyle style;
  style.width = width;
  style.color = color;
  return style;
}

TEST(TimelinePicture, FitsEveryTerminal) {
  for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
                                  ScheduleKind::zero_bubble_1, ScheduleKind::v_half, ScheduleKind::dual_pipe_v}) {
    const bool folds = kind == ScheduleKind::v_half || kind == ScheduleKind::dual_pipe_v;
    for (const std::int64_t ranks : {1, 4, 40}) {
      for (const std::int64_t m : {1, 7, 200}) {
        const RunTimeline line =
            test::round_timeline(kind, ranks, folds || kind == ScheduleKind::interleaved ? 2 : 1, m);
        for (const int width : widths) {
          TimelineView view{.memory = true, .all = m == 7, .capacity_bytes = 60 * gib};
          if (m == 200) view.whole = ranks == 4;
          expect_fits(timeline_to_text(line, view, style_of(width)), width);
          EXPECT_EQ(without_color(timeline_to_text(line, view, style_of(width, true))),
                    timeline_to_text(line, view, style_of(width)));
        }
      }
    }
  }
}

TEST(TimelinePicture, PassesStandWhereTheyRun) {
  // 1F1B of two stages: F 100 ms, B 200 ms, and one column of ten milliseconds.
  const RunTimeline line = test::round_timeline(ScheduleKind::one_f_one_b, 1, 1, 2);
  const TimeWindow window{0, 0.6, 60};
  const Cells cells = pass_cells(line.pipeline.events, window, 1, false);
  std::string text;
  for (const Cell& cell : cells) text += cell.glyph;
  EXPECT_EQ(text,
            "0>>>>>>>>>"
            "0<<<<<<<<<<<<<<<<<<<"
            "1>>>>>>>>>"
            "1<<<<<<<<<<<<<<<<<<<");
}

TEST(TimelinePicture, BusyColumnsAddUp) {
  // The share of columns that are no bubble is the rank's busy share, to the rounding of its passes.
  const RunTimeline line = test::round_timeline(ScheduleKind::one_f_one_b, 4, 1, 8);
  const TimeWindow window{0, line.pipeline.seconds, 1000};
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    std::vector<PipelineEvent> events;
    for (const PipelineEvent& event : line.pipeline.events) {
      if (event.rank == rank) events.push_back(event);
    }
    const Cells cells = pass_cells(events, window, 1, false);
    const auto waits = std::count_if(cells.begin(), cells.end(), [](const Cell& c) { return c.glyph == "·"; });
    const double busy = line.pipeline.busy[static_cast<std::size_t>(rank)] / line.pipeline.seconds;
    EXPECT_NEAR(1 - static_cast<double>(waits) / 1000, busy, 0.01);
  }
}

TEST(TimelinePicture, MemoryIsTheMostOfEachColumn) {
  const std::vector<StageMemoryPoint> line{{0, 10}, {1.2, 80}, {1.3, 10}, {3, 45}};
  const Cells cells = memory_cells(line, {0, 4, 4}, {10, 80, 0});
  std::string text;
  for (const Cell& cell : cells) text += cell.glyph;
  EXPECT_EQ(text, "▁█▁▅");
  // What was before the window counts only as far as it still holds.
  const Cells later = memory_cells(line, {2, 4, 2}, {10, 80, 0});
  EXPECT_EQ(std::string(later[0].glyph) + std::string(later[1].glyph), "▁▅");
}

TEST(TimelinePicture, CutsOutOnlyWhatRepeats) {
  const RunTimeline line = test::round_timeline(ScheduleKind::one_f_one_b, 4, 1, 64);
  const auto windows = picture_windows(line.pipeline.events, line.pipeline.seconds, 63);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].columns + windows[1].columns + gap_columns, 63U);
  EXPECT_NEAR(windows[0].column_seconds(), windows[1].column_seconds(), 1e-9);
  EXPECT_EQ(windows[0].from, 0);
  EXPECT_NEAR(windows[1].to, line.pipeline.seconds, 1e-9);
  // Filling ends with the first backward pass of the first stage: 4 F + 4 B and the transfers.
  EXPECT_GT(windows[0].to, 1.2);
  EXPECT_EQ(picture_windows(test::round_timeline(ScheduleKind::one_f_one_b, 4, 1, 6).pipeline.events, 2.7, 63).size(),
            1U);
}

TEST(TimelinePicture, NothingToDraw) {
  EXPECT_THAT(timeline_to_text({}, {}, style_of(80)), HasSubstr("no timeline"));
  RunTimeline large = test::round_timeline(ScheduleKind::one_f_one_b, 4, 1, 8);
  large.pipeline.events.clear();
  large.memory.clear();
  large.shown = 0;
  const std::string text = timeline_to_text(large, {}, style_of(80));
  EXPECT_THAT(text, HasSubstr("too many stages"));
  EXPECT_THAT(text, HasSubstr("27.6 %"));
}

TEST(TimelineJson, SaysTheEvents) {
  Analysis analysis;
  Hardware hardware;
  const RunTimeline line = test::round_timeline(ScheduleKind::interleaved, 2, 2, 4);
  const auto json = nlohmann::json::parse(
      timeline_to_json({.analysis = analysis, .timeline = line, .hardware = hardware, .hardware_source = ""}));
  ASSERT_EQ(json.at("events").size(), line.pipeline.events.size());
  for (std::size_t i = 0; i < line.pipeline.events.size(); ++i) {
    EXPECT_EQ(json["events"][i].at("rank"), line.pipeline.events[i].rank);
    EXPECT_EQ(json["events"][i].at("chunk"), line.pipeline.events[i].chunk);
    EXPECT_EQ(json["events"][i].at("end_seconds"), line.pipeline.events[i].end);
  }
  EXPECT_EQ(json.at("stages").at(1).at("memory").size(), line.memory[1].size());
  EXPECT_EQ(json.at("schedule"), "interleaved");
}

// ---- layouts ----

TEST(LayoutPicture, FitsEveryTerminal) {
  const LayoutView views[] = {{}, {.all = true}, {.by = "dp"}, {.rank = 5}, {.rank = 11, .by = "pp"}};
  for (const std::int64_t world : {16, 48, 1024}) {
    for (const std::int64_t tensor : {1, 2, 8}) {
      for (const std::int64_t node : {1, 4, 8, 7, 72}) {
        const RankLayout layout = test::round_layout(world, tensor, 1, 2, 1, node);
        for (const LayoutView& view : views) {
          for (const int width : widths) {
            expect_fits(layout_picture(layout, view, style_of(width)), width);
            if (view.by.empty()) expect_fits(layout_picture(layout, view, style_of(width, true)), width);
          }
        }
      }
    }
  }
}

TEST(LayoutPicture, EveryRankHasItsCoordinates) {
  const RankLayout layout = test::round_layout(32, 2, 2, 2, 2);
  const std::string text = layout_picture(layout, {}, style_of(200));
  std::int64_t rank = 0;
  for (const std::string& line : lines_of(text)) {
    const std::size_t node = line.find("node ");
    if (node != 2) continue;
    std::istringstream words(line.substr(line.find("  tp")));
    std::string tp, cp, dp, ep;
    while (words >> tp >> cp >> dp >> ep) {
      EXPECT_EQ(tp, "tp" + std::to_string(layout.grids[0].coordinate(rank, "tp"))) << rank;
      EXPECT_EQ(cp, "cp" + std::to_string(layout.grids[0].coordinate(rank, "cp"))) << rank;
      EXPECT_EQ(dp, "dp" + std::to_string(layout.grids[0].coordinate(rank, "dp"))) << rank;
      EXPECT_EQ(ep, "ep" + std::to_string(layout.grids[1].coordinate(rank, "ep"))) << rank;
      ++rank;
    }
    EXPECT_THAT(line, HasSubstr("pp" + std::to_string(layout.grids[0].coordinate(rank - 1, "pp"))));
  }
  EXPECT_EQ(rank, 32);
}

TEST(LayoutPicture, FoldedNodesAreAllAccountedFor) {
  for (const std::int64_t world : {256, 1024, 1000, 16384, 131072}) {
    for (const std::int64_t tensor : {1, 3, 4, 8}) {
      for (const std::int64_t pipeline : {1, 2, 16}) {
        if (world % (tensor * pipeline) != 0) continue;
        const RankLayout layout = test::round_layout(world, tensor, 1, pipeline, 1);
        const NodePattern pattern(layout);
        const std::vector<NodeRow> rows = pattern.rows(false);
        EXPECT_LE(rows.size(), 34U);
        std::int64_t next = 0;
        for (const NodeRow& row : rows) {
          EXPECT_EQ(row.first, next);
          next = row.last + 1;
        }
        EXPECT_EQ(next, pattern.nodes());
      }
    }
  }
}

TEST(LayoutPicture, FoldsOnlyNodesOfOnePattern) {
  // Relative to the node's first rank, coordinates are those of the node that stands for it.
  for (const std::int64_t tensor : {1, 2, 3, 4, 6, 8, 16}) {
    for (const std::int64_t context : {1, 2, 3}) {
      const RankLayout layout = test::round_layout(tensor * context * 64, tensor, context, 2, 1);
      const NodePattern pattern(layout);
      bool same = layout.world_size % 8 == 0;
      for (std::int64_t rank = 8; rank < layout.world_size && same; ++rank) {
        for (const LayoutColumn& column : pattern.columns()) {
          const auto at = [&](std::int64_t r) { return column.grid->coordinate(r, column.axis.name); };
          same = same && at(rank) - at(rank / 8 * 8) == at(rank % 8) - at(0);
        }
      }
      EXPECT_EQ(pattern.is_same_everywhere(), same) << tensor << ' ' << context;
    }
  }
}

TEST(LayoutPicture, MarksThePeersOfARank) {
  const RankLayout layout = test::round_layout(64, 4, 2, 2, 2);
  const std::int64_t rank = 37;
  const std::string text = layout_picture(layout, {.rank = rank, .all = true}, style_of(120));
  std::size_t marks = 0;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("  node")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) marks += word.starts_with("tp") || word.starts_with("cp") ? 1U : 0U;
  }
  EXPECT_THAT(text, HasSubstr("[37]"));
  // The tensor- and context-parallel peers, without the rank itself.
  EXPECT_EQ(marks, 3U + 1U);
  EXPECT_THAT(text, HasSubstr("node 4: 36-39")) << "its tensor-parallel group";
}

TEST(LayoutPicture, GroupsOfAKindThatLeavesRanksOut) {
  RankLayout layout = test::round_layout(32, 1, 1, 4, 1);
  const GroupKind pipeline("pp", layout.grids[0], {"pp"});
  layout.groups.emplace_back("embedding", pipeline, Selection{.count = 8, .size = 2, .stride = 3, .block = 4});
  const std::string text = layout_picture(layout, {.by = "embedding"}, style_of(100));
  EXPECT_THAT(text, HasSubstr("dp7 @7"));
  EXPECT_THAT(text, HasSubstr("dp7\n")) << "the middle stages are in no such group";
}

}  // namespace
}  // namespace primus_plan
