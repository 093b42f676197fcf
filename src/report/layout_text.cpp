#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "primus_plan/report/layout.h"
#include "primus_plan/support/number.h"
#include "report/paint.h"

namespace primus_plan {

namespace {

constexpr std::int64_t most_nodes_shown = 16;
constexpr std::int64_t nodes_shown_of_many = 8;
constexpr std::size_t most_peers_shown = 16;

/// "3", "0-7", "0,2": the distinct values that come up, in order.
std::string values_text(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const bool run = values.back() - values.front() + 1 == static_cast<std::int64_t>(values.size());
  if (values.size() == 1) return fmt::format("{}", values.front());
  if (run) return fmt::format("{}-{}", values.front(), values.back());
  if (values.size() > 4) return fmt::format("{},{},…,{}", values[0], values[1], values.back());
  std::string text;
  for (const std::int64_t value : values) text += fmt::format("{}{}", text.empty() ? "" : ",", value);
  return text;
}

/// A column of the node table: an axis of one of the grids.
struct Column {
  const RankGrid* grid;
  Axis axis;
  std::string title;
};

/// The axes longer than 1. Those of later grids (experts) are shown when the first grid has no axis of that name.
std::vector<Column> columns_of(const RankLayout& layout) {
  std::vector<Column> columns;
  for (const RankGrid& grid : layout.grids) {
    const bool first = &grid == &layout.grids.front();
    for (const Axis& axis : grid.axes()) {
      if (axis.size < 2) continue;
      const bool known =
          std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.axis.name == axis.name; });
      if (known) continue;
      columns.push_back(
          {&grid, axis, first || !axis.name.starts_with("dp") ? std::string(axis.name) : "e" + std::string(axis.name)});
    }
  }
  return columns;
}

std::string node_row(const RankLayout& layout, const std::vector<Column>& columns, std::int64_t node) {
  const std::int64_t first = node * layout.ranks_per_node;
  const std::int64_t last = std::min(first + layout.ranks_per_node, layout.world_size) - 1;
  std::string row =
      fmt::format("  {:>6} {:>15}", node, first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  for (const Column& column : columns) {
    std::vector<std::int64_t> values;
    for (std::int64_t rank = first; rank <= last; ++rank)
      values.push_back(column.grid->coordinate(rank, column.axis.name));
    row += fmt::format(" {:>9}", values_text(values));
  }
  return row + "\n";
}

std::string node_table(const RankLayout& layout, bool all, const Paint& paint) {
  const std::vector<Column> columns = columns_of(layout);
  std::string header = fmt::format("  {:>6} {:>15}", "node", "ranks");
  for (const Column& column : columns) header += fmt::format(" {:>9}", column.title);
  std::string text = paint.bold(header) + "\n";
  const std::int64_t nodes = (layout.world_size + layout.ranks_per_node - 1) / layout.ranks_per_node;
  const bool fold = !all && nodes > most_nodes_shown;
  const std::int64_t shown = fold ? nodes_shown_of_many : nodes;
  for (std::int64_t node = 0; node < shown; ++node) text += node_row(layout, columns, node);
  if (fold) {
    text += paint.faint(fmt::format("  … {} nodes more (--all)", with_commas(nodes - shown - 1))) + "\n";
    text += node_row(layout, columns, nodes - 1);
  }
  return text;
}

std::string across_text(const GroupKind& kind, std::int64_t ranks_per_node) {
  const std::int64_t across = kind.groups_across_nodes(ranks_per_node);
  if (across == 0) return "inside a node";
  return across == kind.count() ? "across nodes"
                                : fmt::format("{} of {} across nodes", with_commas(across), with_commas(kind.count()));
}

std::string example_text(const GroupKind& kind) {
  const std::vector<std::int64_t> ranks = kind.group(0);
  std::string text;
  const std::size_t shown = ranks.size() > 6 ? 4 : ranks.size();  // never to hide a single one
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", ranks[i]);
  if (shown < ranks.size()) text += fmt::format(",…,{}", ranks.back());
  return text;
}

std::string group_table(const RankLayout& layout, const Paint& paint) {
  std::string rows;
  for (const GroupKind& kind : layout.groups) {
    if (kind.count() == 0 || kind.size() < 2) continue;
    rows += fmt::format("  {:<22} {:>8} {:>8}  {:<22} {}\n", kind.name(), with_commas(kind.size()),
                        with_commas(kind.count()), across_text(kind, layout.ranks_per_node), example_text(kind));
  }
  if (rows.empty()) return "  every group is one rank alone\n";
  return paint.bold(fmt::format("  {:<22} {:>8} {:>8}  {:<22} {}", "group", "size", "groups", "placed", "first")) +
         "\n" + rows;
}

/// The peers of one rank, by node: "node 0: 0,1,2  node 4: 32,33".
std::string peers_text(const std::vector<std::int64_t>& ranks, std::int64_t ranks_per_node) {
  std::map<std::int64_t, std::string> by_node;
  for (std::size_t i = 0; i < std::min(ranks.size(), most_peers_shown); ++i) {
    std::string& list = by_node[ranks[i] / ranks_per_node];
    list += fmt::format("{}{}", list.empty() ? "" : ",", ranks[i]);
  }
  std::string text;
  for (const auto& [node, list] : by_node) text += fmt::format("{}node {}: {}", text.empty() ? "" : "  ", node, list);
  if (ranks.size() > most_peers_shown)
    text += fmt::format("  … {} more", with_commas(static_cast<std::int64_t>(ranks.size() - most_peers_shown)));
  return text;
}

std::string rank_text(const RankLayout& layout, std::int64_t rank, const Paint& paint) {
  std::string text = paint.bold(fmt::format("rank {} is GPU {} of node {}", rank, rank % layout.ranks_per_node,
                                            rank / layout.ranks_per_node)) +
                     "\n ";
  for (const Column& column : columns_of(layout))
    text += fmt::format(" {} {}", column.title, column.grid->coordinate(rank, column.axis.name));
  text += "\n";
  for (const GroupKind& kind : layout.groups) {
    const std::vector<std::int64_t> peers = kind.group_of(rank);
    if (peers.size() < 2) continue;
    text += fmt::format("  {:<22} {:>6}  {}\n", kind.name(), with_commas(static_cast<std::int64_t>(peers.size())),
                        peers_text(peers, layout.ranks_per_node));
  }
  return text;
}

}  // namespace

std::string layout_to_text(const RankLayout& layout, const LayoutView& view, const TextStyle& style) {
  const Paint paint(style.color);
  if (view.rank) return rank_text(layout, *view.rank, paint);
  std::string text = fmt::format("{} on nodes of {}, fastest axis first: {}\n", counted(layout.world_size, "rank"),
                                 layout.ranks_per_node, layout.order);
  text += node_table(layout, view.all, paint);
  text += "\n" + group_table(layout, paint);
  return text;
}

}  // namespace primus_plan
