#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/layout_parts.h"

namespace primus_plan {

/// A line of the picture: a node, or nodes that are left out with the reason.
struct NodeRow {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< of the nodes left out; `first` for a node that is drawn
  std::string folded;     ///< "the same with dp 1-31"; empty for a node that is drawn
};

/// What nodes have in common.
class NodePattern {
 public:
  explicit NodePattern(const RankLayout& layout);

  std::int64_t nodes() const { return nodes_; }
  std::int64_t last_rank(std::int64_t node) const;
  const std::vector<LayoutColumn>& columns() const { return columns_; }
  /// Whether ranks of one node may differ in this coordinate.
  bool varies_inside(const LayoutColumn& column) const;
  /// Whether every node has the same pattern: coordinates differ from node to node by the same amount on every GPU, or
  /// not at all.
  bool is_same_everywhere() const;

  /// The nodes to draw: all of few; of many one of each kind, or the first and the last.
  std::vector<NodeRow> rows(bool all) const;
  /// These nodes, and what lies between them folded as `between`.
  std::vector<NodeRow> rows_of(const std::vector<std::int64_t>& nodes, const std::string& between) const;

 private:
  NodeRow fold(std::int64_t first, std::int64_t last, std::int64_t like) const;

  const RankLayout& layout_;
  std::vector<LayoutColumn> columns_;
  std::int64_t nodes_ = 0;
};

}  // namespace primus_plan
