#include "report/html/map.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/support/number.h"
#include "report/html/sections.h"

namespace primus_plan::html {

namespace {

/// Ranks drawn one by one; of larger worlds a cell is a node.
constexpr std::int64_t most_ranks = 4096;
/// Cells drawn in all.
constexpr std::int64_t most_cells = 8192;
constexpr std::int64_t map_width = 1000;
/// Nodes in a row, where cells are nodes.
constexpr std::int64_t node_columns = 64;

MapGeometry geometry_of(const RankLayout& layout) {
  MapGeometry g;
  const std::int64_t per_node = std::max<std::int64_t>(layout.ranks_per_node, 1);
  g.unit = layout.world_size > most_ranks ? per_node : 1;
  const std::int64_t cells = (layout.world_size + g.unit - 1) / g.unit;
  g.cells = std::min(cells, most_cells);
  g.hidden = cells - g.cells;
  g.block = g.unit == 1 ? std::min(per_node, g.cells) : 1;
  g.across = std::min<std::int64_t>(g.block, 8);
  g.cell = 12;
  const std::int64_t down = (g.block + g.across - 1) / g.across;
  g.step_x = g.across * g.cell + (g.unit == 1 ? 26 : 0);
  g.step_y = down * g.cell + (g.unit == 1 ? 4 : 0);
  g.columns = std::max<std::int64_t>((map_width - 4) / g.step_x, 1);
  const std::int64_t blocks = (g.cells + g.block - 1) / g.block;
  if (g.unit > 1) {
    g.columns = node_columns;
  } else {  // about twice as many rows as columns; a power of two, as degrees are
    std::int64_t columns = 1;
    while (2 * columns <= g.columns && 8 * columns * columns <= blocks) columns *= 2;
    g.columns = columns;
  }
  g.columns = std::min(g.columns, blocks);
  g.left = g.unit == 1 ? 24 : 2;
  g.width = g.columns * g.step_x + g.left;
  g.height = (blocks + g.columns - 1) / g.columns * g.step_y + 2;
  return g;
}

std::int64_t axis_extent(const RankGrid& grid, std::size_t axis) { return grid.axes()[axis].size; }

/// The axes of a grid along which the group of rank 0 lies, when it is the ranks along whole axes; and so is the last
/// rank's.
bool spans_axes(const RankGrid& grid, const GroupKind& kind, std::vector<std::size_t>& along) {
  const std::vector<std::int64_t> first = kind.group_of(0);
  std::int64_t product = 1;
  along.clear();
  for (std::size_t i = 0; i < grid.axes().size(); ++i) {
    const Axis& axis = grid.axes()[i];
    if (axis.size < 2 || std::ranges::find(first, grid.stride(axis.name)) == first.end()) continue;
    along.push_back(i);
    product *= axis_extent(grid, i);
  }
  if (along.empty() || product != static_cast<std::int64_t>(first.size())) return false;
  const auto spanned = [&](std::int64_t rank) {
    std::vector<std::int64_t> ranks{rank};
    for (const std::size_t i : along)
      ranks.front() -= grid.coordinate(rank, grid.axes()[i].name) * grid.stride(grid.axes()[i].name);
    for (const std::size_t i : along) {
      std::vector<std::int64_t> wider;
      for (std::int64_t k = 0; k < axis_extent(grid, i); ++k) {
        for (const std::int64_t one : ranks) wider.push_back(one + k * grid.stride(grid.axes()[i].name));
      }
      ranks = std::move(wider);
    }
    std::ranges::sort(ranks);
    return ranks;
  };
  for (const std::int64_t rank : {std::int64_t{0}, grid.ranks() / 2, grid.ranks() - 1}) {
    std::vector<std::int64_t> group = kind.group_of(rank);
    std::ranges::sort(group);
    if (group != spanned(rank)) return false;
  }
  return true;
}

std::string path_of(const MapGeometry& g, const std::vector<std::int64_t>& cells) {
  std::string path;
  const std::int64_t side = g.cell - 2;
  for (const std::int64_t cell : cells) {
    const auto [x, y] = g.place(cell);
    path += fmt::format("M{} {}h{}v{}h-{}z", x, y, side, side, side);
  }
  return path;
}

constexpr std::int64_t shades = 8;

/// Cells by the pipeline stage that they are part of.
void write_cells(Markup& out, const RankLayout& layout, const MapGeometry& g) {
  const RankGrid& grid = layout.grids.front();
  std::array<std::vector<std::int64_t>, shades> by_shade;
  const std::int64_t stages = std::max<std::int64_t>(grid.size("pp"), 1);
  for (std::int64_t cell = 0; cell < g.cells; ++cell) {
    const std::int64_t stage = stages > 1 ? grid.coordinate(cell * g.unit, "pp") : 0;
    const std::int64_t shade = stages <= shades ? stage : stage * shades / stages;
    by_shade[static_cast<std::size_t>(shade)].push_back(cell);
  }
  for (std::size_t i = 0; i < by_shade.size(); ++i) {
    if (!by_shade[i].empty()) out.empty("path", {{"class", fmt::format("s{}", i)}, {"d", path_of(g, by_shade[i])}});
  }
}

void write_node_numbers(Markup& out, const MapGeometry& g) {
  if (g.unit > 1) return;
  const std::int64_t blocks = (g.cells + g.block - 1) / g.block;
  out.open("g", {{"class", "numbers"}});
  for (std::int64_t node = 0; node < blocks; ++node) {
    const auto [x, y] = g.place(node * g.block);
    out.element("text", fmt::format("{}", node), {{"x", fmt::format("{}", x - 4)}, {"y", fmt::format("{}", y + 9)}});
  }
  out.close();
}

void write_picture(Markup& out, const View& view, const RankLayout& layout, const MapGeometry& g) {
  const bool nodes = g.unit > 1;
  out.open("div", {{"class", "map"}, {"id", view.id("rank-map")}, {"data-map", fmt::format("{}", view.index)}});
  out.open("div", {{"class", "scroll"}});
  out.open("svg",
           {{"viewBox", fmt::format("0 0 {} {}", g.width, g.height)},
            {"width", fmt::format("{}", g.width)},
            {"role", "img"},
            {"aria-label", fmt::format("{}, {} a node", counted(layout.world_size, "rank"), layout.ranks_per_node)}});
  write_node_numbers(out, g);
  write_cells(out, layout, g);
  out.close().close();
  std::string note = nodes ? "A cell is a node." : "A cell is a rank, a row of cells a node.";
  if (layout.grids.front().size("pp") > 1) note += " Shades are pipeline stages, the first the darkest.";
  if (g.hidden > 0) note += fmt::format(" {} more are not drawn.", counted(g.hidden, "node"));
  out.element("p", note, {{"class", "note"}}).close();
}

std::string example_text(const std::vector<std::int64_t>& ranks) {
  std::string text;
  const std::size_t shown = ranks.size() > 6 ? 4 : ranks.size();
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  if (shown < ranks.size()) text += fmt::format(", … {}", ranks.back());
  return text;
}

void write_groups(Markup& out, const View& view, const RankLayout& layout) {
  out.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
  out.raw(
         "<thead><tr><th class=\"text\">group</th><th>ranks</th><th>groups</th><th>across nodes</th><th "
         "class=\"text\">first</th></tr></thead>")
      .open("tbody");
  for (std::size_t i = 0; i < layout.groups.size(); ++i) {
    const GroupKind& kind = layout.groups[i];
    if (kind.count() == 0 || kind.size() < 2) continue;
    const std::string at = fmt::format("map/groups/{}/", i);
    const std::int64_t crossing = kind.groups_across_nodes(layout.ranks_per_node);
    out.open("tr").element("th", kind.name(), {{"scope", "row"}, {"class", "text"}}).open("td");
    figure(out, view, at + "size", kind.size(), with_commas(kind.size()));
    out.close().open("td");
    figure(out, view, at + "count", kind.count(), with_commas(kind.count()));
    out.close().open("td");
    figure(out, view, at + "across_nodes", crossing,
           crossing == 0              ? "none"
           : crossing == kind.count() ? "all"
                                      : with_commas(crossing));
    out.close().element("td", example_text(kind.group(0)), {{"class", "text"}}).close().line();
  }
  out.close().close().close();
}

void write_geometry(JsonWriter& json, const MapGeometry& g) {
  json.key("unit").integer(g.unit).key("cells").integer(g.cells).key("block").integer(g.block);
  json.key("row").integer(g.across).key("cell").integer(g.cell).key("step_x").integer(g.step_x);
  json.key("step_y").integer(g.step_y).key("columns").integer(g.columns).key("left").integer(g.left);
}

}  // namespace

std::pair<std::int64_t, std::int64_t> MapGeometry::place(std::int64_t index) const {
  const std::int64_t at = index / block;
  const std::int64_t inside = index % block;
  return {left + at % columns * step_x + inside % across * cell, 1 + at / columns * step_y + inside / across * cell};
}

void write_map_json(JsonWriter& json, const RankLayout& layout) {
  if (!layout.is_placed()) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("world_size").integer(layout.world_size).key("ranks_per_node").integer(layout.ranks_per_node);
  write_geometry(json, geometry_of(layout));
  json.key("grids").begin_array();
  for (const RankGrid& grid : layout.grids) {
    json.begin_array();
    for (const Axis& axis : grid.axes()) {
      json.begin_array().string(axis.name).integer(axis.size).integer(grid.stride(axis.name)).end_array();
    }
    json.end_array();
  }
  json.end_array().key("groups").begin_array();
  for (const GroupKind& kind : layout.groups) {
    json.begin_object().key("name").string(kind.name()).key("size").integer(kind.size());
    json.key("count").integer(kind.count());
    json.key("across_nodes").integer(kind.groups_across_nodes(layout.ranks_per_node));
    std::vector<std::size_t> along;
    for (std::size_t i = 0; i < layout.grids.size(); ++i) {
      if (kind.size() < 2 || kind.count() == 0 || !spans_axes(layout.grids[i], kind, along)) continue;
      json.key("grid").integer(static_cast<std::int64_t>(i)).key("along").begin_array();
      for (const std::size_t axis : along) json.integer(static_cast<std::int64_t>(axis));
      json.end_array();
      break;
    }
    json.end_object();
  }
  json.end_array().end_object();
}

void write_map(Markup& out, const View& view) {
  const RankLayout& layout = view.page.layout;
  if (!layout.is_placed() || layout.world_size < 2) return;
  open_section(out, view, "ranks", "Ranks and groups");
  out.element("p",
              fmt::format("{} on nodes of {}, fastest axis first: {}", counted(layout.world_size, "rank"),
                          layout.ranks_per_node, layout.order),
              {{"class", "lead"}});
  write_picture(out, view, layout, geometry_of(layout));
  write_groups(out, view, layout);
  out.close();
}

}  // namespace primus_plan::html
