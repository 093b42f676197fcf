#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/report/layout.h"
#include "primus_plan/support/number.h"
#include "report/layout_parts.h"
#include "report/table.h"

namespace primus_plan {

namespace {

constexpr std::int64_t most_nodes_shown = 16;
constexpr std::int64_t nodes_shown_of_many = 8;

std::string node_row(const RankLayout& layout, const std::vector<LayoutColumn>& columns, std::int64_t node) {
  const std::int64_t first = node * layout.ranks_per_node;
  const std::int64_t last = std::min(first + layout.ranks_per_node, layout.world_size) - 1;
  std::string row =
      fmt::format("  {:>6} {:>15}", node, first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  for (const LayoutColumn& column : columns) {
    std::vector<std::int64_t> values;
    for (std::int64_t rank = first; rank <= last; ++rank)
      values.push_back(column.grid->coordinate(rank, column.axis.name));
    row += fmt::format(" {:>9}", values_text(values));
  }
  return row + "\n";
}

std::string node_table(const RankLayout& layout, bool all, const Paint& paint) {
  const std::vector<LayoutColumn> columns = columns_of(layout);
  std::string header = fmt::format("  {:>6} {:>15}", "node", "ranks");
  for (const LayoutColumn& column : columns) header += fmt::format(" {:>9}", column.title);
  std::string text = paint.bold(header) + "\n";
  const std::int64_t nodes = (layout.world_size + layout.ranks_per_node - 1) / layout.ranks_per_node;
  const bool fold = !all && nodes > most_nodes_shown;
  const std::int64_t shown = fold ? nodes_shown_of_many : nodes;
  for (std::int64_t node = 0; node < shown; ++node) text += node_row(layout, columns, node);
  if (fold) {
    text += paint.faint(fmt::format("  … {} more (--all)", counted(nodes - shown - 1, "node"))) + "\n";
    text += node_row(layout, columns, nodes - 1);
  }
  return text;
}

std::string example_text(const GroupKind& kind) {
  const std::vector<std::int64_t> ranks = kind.group(0);
  std::string text;
  const std::size_t shown = ranks.size() > 6 ? 4 : ranks.size();  // never to hide a single one
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", ranks[i]);
  if (shown < ranks.size()) text += fmt::format(",…,{}", ranks.back());
  return text;
}

/// Kinds with groups of more than one rank.
std::vector<const GroupKind*> kinds_shown(const RankLayout& layout) {
  std::vector<const GroupKind*> out;
  for (const GroupKind& kind : layout.groups) {
    if (kind.count() > 0 && kind.size() > 1) out.push_back(&kind);
  }
  return out;
}

/// A narrow terminal has no room for an example, and a very narrow one puts the place of groups below them.
std::string narrow_group_table(const RankLayout& layout, const std::vector<const GroupKind*>& kinds, const Paint& paint,
                               const TextStyle& style) {
  using enum Table::Side;
  Table rows({"group", "size", "groups", "placed"}, {left, right, right, left});
  for (const GroupKind* kind : kinds) {
    rows.add({std::string(kind->name()), with_commas(kind->size()), with_commas(kind->count()),
              across_text(*kind, layout.ranks_per_node)});
  }
  return rows.text(paint, style);
}

std::string group_table(const RankLayout& layout, const Paint& paint, const TextStyle& style) {
  const std::vector<const GroupKind*> kinds = kinds_shown(layout);
  if (kinds.empty()) return "  every group is one rank alone\n";
  if (style.wraps && style.width < 90) return narrow_group_table(layout, kinds, paint, style);
  const auto row = [](std::string_view name, std::string_view size, std::string_view count, std::string_view placed,
                      std::string_view first) {
    return fmt::format("  {:<22} {:>8} {:>8}  {:<22} {}", name, size, count, placed, first);
  };
  std::string text = paint.bold(row("group", "size", "groups", "placed", "first")) + "\n";
  for (const GroupKind* kind : kinds) {
    text += row(kind->name(), with_commas(kind->size()), with_commas(kind->count()),
                across_text(*kind, layout.ranks_per_node), example_text(*kind)) +
            "\n";
  }
  return text;
}

}  // namespace

std::string layout_to_text(const RankLayout& layout, const LayoutView& view, const TextStyle& style) {
  const Paint paint(style.color);
  if (view.picture)
    return layout_picture(layout, view, style) + (view.rank ? "" : "\n" + group_table(layout, paint, style));
  if (view.rank) return rank_text(layout, *view.rank, style);
  std::string text = fmt::format("{} on nodes of {}, fastest axis first: {}\n", counted(layout.world_size, "rank"),
                                 layout.ranks_per_node, layout.order);
  text += node_table(layout, view.all, paint);
  text += "\n" + group_table(layout, paint, style);
  return text;
}

}  // namespace primus_plan
