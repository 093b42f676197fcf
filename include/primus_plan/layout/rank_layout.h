#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan {

/// One dimension of a grid of ranks.
struct Axis {
  std::string_view name;  ///< static text: "tp", "dp_shard", …
  std::int64_t size = 1;
};

/// Ranks 0 … product-1 laid out on axes, the first axis varying fastest. Pure arithmetic: nothing is stored per rank, so
/// 100,000 ranks cost nothing.
class RankGrid {
 public:
  RankGrid() = default;
  explicit RankGrid(std::vector<Axis> fastest_first);

  const std::vector<Axis>& axes() const { return axes_; }
  std::int64_t ranks() const { return ranks_; }
  /// Size of an axis; 1 when there is none of this name.
  std::int64_t size(std::string_view axis) const;
  /// Distance between neighbours along an axis.
  std::int64_t stride(std::string_view axis) const;
  /// Coordinate of a rank on an axis.
  std::int64_t coordinate(std::int64_t rank, std::string_view axis) const;

 private:
  std::vector<Axis> axes_;
  std::int64_t ranks_ = 1;
};

/// All groups that vary along some axes of a grid and agree on the others.
class GroupKind {
 public:
  /// `along` names axes of the grid; the order of ranks inside a group follows the grid's axis order.
  GroupKind(std::string name, const RankGrid& grid, std::vector<std::string_view> along);

  const std::string& name() const { return name_; }
  std::int64_t count() const { return count_; }
  std::int64_t size() const { return size_; }
  /// Ranks of one group, ascending along the axes; groups are numbered as the framework creates them (by their first rank's
  /// position among the fixed axes).
  std::vector<std::int64_t> group(std::int64_t index) const;
  /// The group a rank is in.
  std::vector<std::int64_t> group_of(std::int64_t rank) const;
  /// How many groups have members on more than one node of this many ranks. Costs at most one visit a group start.
  std::int64_t groups_across_nodes(std::int64_t ranks_per_node) const;

 private:
  std::string name_;
  std::vector<Axis> along_;           ///< with strides below
  std::vector<std::int64_t> along_strides_;
  std::vector<Axis> fixed_;
  std::vector<std::int64_t> fixed_strides_;
  std::int64_t count_ = 1;
  std::int64_t size_ = 1;
};

/// Which rank sits in which group of which kind, for one run.
struct RankLayout {
  std::int64_t world_size = 0;
  std::int64_t ranks_per_node = 8;
  std::string order;             ///< the framework's own word: "tp-cp-ep-dp-pp", mesh axes, …
  std::vector<RankGrid> grids;   ///< for coordinates: the first is the dense one
  std::vector<GroupKind> groups;
};

}  // namespace primus_plan
