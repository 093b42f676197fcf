#include "report/layout_nodes.h"

#include <fmt/core.h>

#include <algorithm>

namespace primus_plan {

namespace {

constexpr std::int64_t most_nodes_drawn = 16;
constexpr std::int64_t drawn_of_many = 8;

std::int64_t stride_of(const LayoutColumn& column) { return column.grid->stride(column.axis.name); }

/// The values of a coordinate on some nodes.
std::string values_on(const RankLayout& layout, const LayoutColumn& column, std::int64_t first, std::int64_t last,
                      bool whole) {
  std::vector<std::int64_t> values;
  const std::int64_t end = std::min((last + 1) * layout.ranks_per_node, layout.world_size);
  for (std::int64_t rank = first * layout.ranks_per_node; rank < end; rank += whole ? layout.ranks_per_node : 1) {
    values.push_back(column.grid->coordinate(rank, column.axis.name));
    // The smallest of cases with very many nodes is still every value.
    if (static_cast<std::int64_t>(values.size()) > 4 * column.axis.size) {
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
  }
  return values_text(std::move(values));
}

}  // namespace

NodePattern::NodePattern(const RankLayout& layout)
    : layout_(layout),
      columns_(columns_of(layout)),
      nodes_((layout.world_size + layout.ranks_per_node - 1) / layout.ranks_per_node) {}

std::int64_t NodePattern::last_rank(std::int64_t node) const {
  return std::min((node + 1) * layout_.ranks_per_node, layout_.world_size) - 1;
}

bool NodePattern::varies_inside(const LayoutColumn& column) const {
  const std::int64_t stride = stride_of(column);
  return stride < layout_.ranks_per_node || stride % layout_.ranks_per_node != 0;
}

bool NodePattern::is_same_everywhere() const {
  const std::int64_t ranks = layout_.ranks_per_node;
  if (layout_.world_size % ranks != 0) return false;
  return std::all_of(columns_.begin(), columns_.end(), [&](const LayoutColumn& column) {
    const std::int64_t stride = stride_of(column);
    const std::int64_t cycle = stride * column.axis.size;
    return stride % ranks == 0 || ranks % cycle == 0 || (cycle % ranks == 0 && ranks % stride == 0);
  });
}

NodeRow NodePattern::fold(std::int64_t first, std::int64_t last, std::int64_t like) const {
  if (!is_same_everywhere()) return {first, last, "not drawn"};
  std::string text;
  for (const LayoutColumn& column : columns_) {
    const bool whole = !varies_inside(column);
    const std::string values = values_on(layout_, column, first, last, whole);
    if (values == values_on(layout_, column, like, like, whole)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "the same with " : ", ", column.title, values);
  }
  return {first, last, text.empty() ? "the same" : text};
}

std::vector<NodeRow> NodePattern::rows(bool all) const {
  std::vector<NodeRow> out;
  if (all || nodes_ <= most_nodes_drawn) {
    for (std::int64_t node = 0; node < nodes_; ++node) out.push_back({node, node, {}});
    return out;
  }
  // Nodes that share the slowest coordinate stand next to each other.
  std::int64_t stride = 0;
  for (const LayoutColumn& column : columns_) {
    if (!varies_inside(column) && column.grid == &layout_.grids.front()) stride = std::max(stride, stride_of(column));
  }
  const std::int64_t together = stride / layout_.ranks_per_node;
  if (is_same_everywhere() && together > 1 && (nodes_ + together - 1) / together <= most_nodes_drawn) {
    for (std::int64_t node = 0; node < nodes_; node += together) {
      out.push_back({node, node, {}});
      out.push_back(fold(node + 1, std::min(node + together, nodes_) - 1, node));
    }
    return out;
  }
  for (std::int64_t node = 0; node < drawn_of_many; ++node) out.push_back({node, node, {}});
  out.push_back(fold(drawn_of_many, nodes_ - 2, drawn_of_many - 1));
  out.push_back({nodes_ - 1, nodes_ - 1, {}});
  return out;
}

std::vector<NodeRow> NodePattern::rows_of(const std::vector<std::int64_t>& nodes, const std::string& between) const {
  std::vector<NodeRow> out;
  std::int64_t next = 0;
  for (const std::int64_t node : nodes) {
    if (node > next) out.push_back({next, node - 1, between});
    out.push_back({node, node, {}});
    next = node + 1;
  }
  if (next < nodes_) out.push_back({next, nodes_ - 1, between});
  return out;
}

}  // namespace primus_plan
