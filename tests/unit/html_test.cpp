// The pieces that HTML reports are made of.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "report/html/frame.h"
#include "report/html/map.h"
#include "report/html/markup.h"
#include "report/html/plot.h"
#include "report/html/view.h"
#include "report/json_writer.h"
#include "support/base64.h"
#include "support/html_page.h"
#include "support/reports.h"
#include "support/sha256.h"

namespace primus_plan::test {
namespace {

using html::Markup;

std::string escaped(std::string_view text) { return Markup().text(text).take(); }

TEST(HtmlText, WhatCouldBeMarkupIsNone) {
  EXPECT_EQ(escaped("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; 'd'");
  EXPECT_EQ(escaped("\x1b[31m\n\x7f\xff"), "\\x1b[31m\\n\\x7f\\xff");
  EXPECT_EQ(escaped("\u202e\u2028"), "\\u202e\\u2028");
  EXPECT_EQ(escaped("größer 東京"), "größer 東京");
}

TEST(HtmlText, JsonCannotEndItsScript) {
  const std::string json = html::script_json("{ \"a\": \"</script><!-- & x\",\n  \"b\\\" c\": [1, 2.5] }");
  EXPECT_EQ(json, "{\"a\":\"\\u003c/script\\u003e\\u003c!-- \\u0026 x\",\"b\\\" c\":[1,2.5]}");
  EXPECT_EQ(nlohmann::json::parse(json).at("a"), "</script><!-- & x");
}

TEST(Markup, ClosesWhatItOpensAndEscapesWhatItWrites) {
  Markup out;
  out.open("p", {{"class", ""}, {"title", "a \"b\" <c>"}}).text("1 < 2").empty("br").element("b", "&").close();
  EXPECT_EQ(out.take(), "<p title=\"a &quot;b&quot; &lt;c&gt;\">1 &lt; 2<br/><b>&amp;</b></p>");
}

TEST(Hashes, AreThoseOfTheStandards) {
  // FIPS 180-4's examples, RFC 4648's vectors.
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
}

TEST(Rows, OfManyTheFirstAndTheLastAreShown) {
  const html::Rows all = html::choose_rows(3, 3);
  EXPECT_EQ(all.first.size(), 3U);
  EXPECT_EQ(all.hidden, 0U);
  const html::Rows some = html::choose_rows(100, 10);
  EXPECT_EQ(some.first.size(), 9U);
  EXPECT_EQ(some.last, std::vector<std::size_t>{99});
  EXPECT_EQ(some.hidden, 90U);
}

TEST(AxisMarks, AreRoundAndHoldTheValues) {
  EXPECT_EQ(html::axis_marks(0, 883, 5), (std::vector<double>{0, 200, 400, 600, 800, 1000}));
  EXPECT_EQ(html::axis_marks(0, 192, 6), (std::vector<double>{0, 50, 100, 150, 200}));
  for (const double high : {1e-6, 0.7, 3.0, 99.0, 12345.6, 1e12}) {
    const std::vector<double> marks = html::axis_marks(0, high, 5);
    EXPECT_GE(marks.back(), high * (1 - 1e-9));
    EXPECT_LE(marks.size(), 8U);
    EXPECT_GE(marks.size(), 3U);
  }
}

// Every group that the page's script draws is the group of the layout.
nlohmann::json map_of(const RankLayout& layout) {
  JsonWriter json;
  html::write_map_json(json, layout);
  return nlohmann::json::parse(json.take());
}

TEST(RankMap, KnowsAlongWhichAxesAGroupLies) {
  const RankGrid grid({{"tp", 2}, {"cp", 2}, {"dp", 4}, {"pp", 2}});
  RankLayout layout{.world_size = 32, .ranks_per_node = 8, .order = "tp-cp-dp-pp", .grids = {grid}, .groups = {}};
  layout.groups.emplace_back("tp", grid, std::vector<std::string_view>{"tp"});
  layout.groups.emplace_back("dp_cp", grid, std::vector<std::string_view>{"dp", "cp"});
  layout.groups.emplace_back("pp", grid, std::vector<std::string_view>{"pp"});
  layout.groups.emplace_back("half", layout.groups[1],
                             Selection{.count = 8, .size = 4, .stride = 1, .interleaved = 1, .block = 4});
  const nlohmann::json map = map_of(layout);
  EXPECT_EQ(map.at("groups")[0].at("along"), nlohmann::json::array({0}));
  EXPECT_EQ(map.at("groups")[1].at("along"), nlohmann::json::array({1, 2}));
  EXPECT_EQ(map.at("groups")[2].at("along"), nlohmann::json::array({3}));
  EXPECT_FALSE(map.at("groups")[3].contains("along")) << "half of a group is no axis";
  EXPECT_EQ(map.at("grids")[0][3], nlohmann::json::array({"pp", 2, 16}));
  EXPECT_EQ(map.at("groups")[1].at("across_nodes"), 4);
  EXPECT_EQ(map_of({}), nullptr);
}

TEST(RankMap, CellsDoNotOverlap) {
  for (const std::int64_t world : {2, 8, 12, 1024, 16384}) {
    const RankGrid grid({{"dp", world}});
    const RankLayout layout{.world_size = world, .ranks_per_node = 8, .order = "dp", .grids = {grid}, .groups = {}};
    const nlohmann::json map = map_of(layout);
    html::MapGeometry g;
    g.unit = map.at("unit");
    g.cells = map.at("cells");
    g.block = map.at("block");
    g.across = map.at("row");
    g.cell = map.at("cell");
    g.step_x = map.at("step_x");
    g.step_y = map.at("step_y");
    g.columns = map.at("columns");
    g.left = map.at("left");
    EXPECT_EQ(g.cells, (world + g.unit - 1) / g.unit) << world;
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    for (std::int64_t i = 0; i < g.cells; ++i) EXPECT_TRUE(places.insert(g.place(i)).second) << world << " " << i;
  }
}

TEST(CheckPage, IsWellFormedForEveryKindOfReport) {
  for (const std::vector<FileReport>& files :
       {std::vector<FileReport>{},
        {clean_report()},
        {broken_report(), unloadable_report(), unchecked_report(), hostile_report()}}) {
    const std::string text = format_report(*find_format("html")->make({}, some_tool()), files);
    const HtmlPage page = read_html_page(text);
    EXPECT_EQ(faults_of_page(page), "");
    EXPECT_EQ(text.find("<script"), std::string::npos);
  }
}

}  // namespace
}  // namespace primus_plan::test
