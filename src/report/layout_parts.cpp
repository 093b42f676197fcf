#include "report/layout_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

constexpr std::size_t most_nodes_listed = 8;

/// "32-39", "1,3,…,71", "5,13": ascending ranks; neighbours as their ends, others an equal step apart as the first two
/// and the last. Of what is no such row the first few.
std::string ranks_text(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t most_pieces = 4;
  std::string text;
  std::size_t pieces = 0;
  for (std::size_t begin = 0; begin < ranks.size();) {
    if (++pieces > most_pieces && ranks.size() - begin > 1) return text + fmt::format(",…,{}", ranks.back());
    const std::int64_t step = begin + 1 < ranks.size() ? ranks[begin + 1] - ranks[begin] : 1;
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] - ranks[end - 1] == step) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ranks[begin]);
    if (step == 1 && end - begin >= 3) {
      text += fmt::format("-{}", ranks[end - 1]);
    } else if (end - begin >= 5) {
      text += fmt::format(",{},…,{}", ranks[begin + 1], ranks[end - 1]);
    } else {
      end = begin + 1;
    }
    begin = end;
  }
  return text;
}

/// The peers of one rank, by node: "node 0: 0-2", "node 4: 32,33".
std::vector<std::string> peers_by_node(const std::vector<std::int64_t>& ranks, std::int64_t ranks_per_node) {
  std::map<std::int64_t, std::vector<std::int64_t>> by_node;
  for (const std::int64_t rank : ranks) by_node[rank / ranks_per_node].push_back(rank);
  std::vector<std::string> out;
  std::size_t listed = 0;
  for (auto& [node, peers] : by_node) {
    if (out.size() == most_nodes_listed && by_node.size() > most_nodes_listed + 1) break;
    std::sort(peers.begin(), peers.end());
    listed += peers.size();
    out.push_back(fmt::format("node {}: {}", node, ranks_text(peers)));
  }
  if (listed < ranks.size()) {
    out.push_back(fmt::format("… {} more on {}", with_commas(static_cast<std::int64_t>(ranks.size() - listed)),
                              counted(static_cast<std::int64_t>(by_node.size() - most_nodes_listed), "node")));
  }
  return out;
}

/// One kind of groups with the peers in it; a node's ranks stay together where a line is broken.
std::string peers_lines(const GroupKind& kind, const std::vector<std::int64_t>& peers, std::int64_t ranks_per_node,
                        const TextStyle& style) {
  std::string out = fmt::format("  {:<22} {:>6}", kind.name(), with_commas(static_cast<std::int64_t>(peers.size())));
  std::size_t column = display_width(out);
  for (const std::string& node : peers_by_node(peers, ranks_per_node)) {
    const std::size_t columns = display_width(node) + 2;
    if (style.wraps && column > 4 && column + columns > static_cast<std::size_t>(style.width)) {
      out += "\n    ";
      column = 4;
    }
    out += "  " + node;
    column += columns;
  }
  return out + "\n";
}

}  // namespace

std::vector<LayoutColumn> columns_of(const RankLayout& layout) {
  std::vector<LayoutColumn> columns;
  for (const RankGrid& grid : layout.grids) {
    const bool first = &grid == &layout.grids.front();
    for (const Axis& axis : grid.axes()) {
      if (axis.size < 2) continue;
      const bool known =
          std::any_of(columns.begin(), columns.end(), [&](const LayoutColumn& c) { return c.axis.name == axis.name; });
      if (known) continue;
      columns.push_back(
          {&grid, axis, first || !axis.name.starts_with("dp") ? std::string(axis.name) : "e" + std::string(axis.name)});
    }
  }
  return columns;
}

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

std::string across_text(const GroupKind& kind, std::int64_t ranks_per_node) {
  const std::int64_t across = kind.groups_across_nodes(ranks_per_node);
  if (across == 0) return "inside a node";
  return across == kind.count() ? "across nodes"
                                : fmt::format("{} of {} across nodes", with_commas(across), with_commas(kind.count()));
}

std::string rank_text(const RankLayout& layout, std::int64_t rank, const TextStyle& style) {
  const Paint paint(style.color);
  std::string text = paint.bold(fmt::format("rank {} is GPU {} of node {}", rank, rank % layout.ranks_per_node,
                                            rank / layout.ranks_per_node)) +
                     "\n ";
  for (const LayoutColumn& column : columns_of(layout))
    text += fmt::format(" {} {}", column.title, column.grid->coordinate(rank, column.axis.name));
  text += "\n";
  for (const GroupKind& kind : layout.groups) {
    const std::vector<std::int64_t> peers = kind.group_of(rank);
    if (peers.size() < 2) continue;
    text += peers_lines(kind, peers, layout.ranks_per_node, style);
  }
  return text;
}

}  // namespace primus_plan
