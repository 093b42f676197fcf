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

/// Ranks 0 … product-1 laid out on axes, the first axis varying fastest. Pure arithmetic: nothing is stored per rank,
/// so 100,000 ranks cost nothing.
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

/// How groups are picked from the ranks of a parent kind, written one parent group after the other: group i starts at
/// position (i / interleaved) * block + i % interleaved, and its members stand `stride` apart. This says first-and-last
/// members, consecutive shares, strided shares and unions of neighbouring groups.
struct Selection {
  std::int64_t count = 1;        ///< groups
  std::int64_t size = 1;         ///< members of each
  std::int64_t stride = 1;       ///< positions between neighbours of one group
  std::int64_t interleaved = 1;  ///< groups that start next to each other
  std::int64_t block = 1;        ///< positions between such runs of groups
};

/// All groups of one kind. Arithmetic only: a kind costs the same for 8 ranks and for 100,000.
class GroupKind {
 public:
  /// Groups that vary along some axes of a grid and agree on the others. Names that are no axis count as axes of size
  /// 1; the order of ranks inside a group follows the grid's axis order.
  GroupKind(std::string name, const RankGrid& grid, const std::vector<std::string_view>& along);
  /// Groups picked from the ranks of another kind.
  GroupKind(std::string name, const GroupKind& parent, const Selection& selection);

  const std::string& name() const { return name_; }
  std::int64_t count() const { return selection_.count; }
  std::int64_t size() const { return selection_.size; }
  /// Ranks of one group, in the framework's order; groups are numbered as the framework creates them (grids: by their
  /// first rank's position among the fixed axes).
  std::vector<std::int64_t> group(std::int64_t index) const;
  /// The group a rank is in; empty when this kind leaves the rank out (a middle stage has no embedding group).
  std::vector<std::int64_t> group_of(std::int64_t rank) const;
  /// How many groups have members on more than one node of this many ranks. Costs one visit a group.
  std::int64_t groups_across_nodes(std::int64_t ranks_per_node) const;

 private:
  struct Digit {
    std::int64_t size;
    std::int64_t stride;
  };

  std::int64_t start_of(std::int64_t index) const;
  std::int64_t rank_at(std::int64_t position) const;

  std::string name_;
  std::vector<Digit> along_;  ///< axes inside a parent group, fastest first
  std::vector<Digit> fixed_;  ///< the other axes
  std::int64_t parent_size_ = 1;
  Selection selection_;
};

/// Which rank sits in which group of which kind, for one run.
struct RankLayout {
  std::int64_t world_size = 0;
  std::int64_t ranks_per_node = 8;
  std::string order;            ///< the framework's own word: "tp-cp-ep-dp-pp", mesh axes, …
  std::vector<RankGrid> grids;  ///< for coordinates: the first is the dense one
  std::vector<GroupKind> groups;

  /// Whether the ranks can be placed at all: there are grids, and each holds the whole world. If not (degrees that do
  /// not divide the world, say) nothing else here means anything.
  bool is_placed() const;
};

}  // namespace primus_plan
