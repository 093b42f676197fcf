#include "primus_plan/layout/rank_layout.h"

#include <algorithm>
#include <utility>

#include "primus_plan/support/number.h"

namespace primus_plan {

RankGrid::RankGrid(std::vector<Axis> fastest_first) : axes_(std::move(fastest_first)) {
  for (const Axis& axis : axes_) ranks_ = saturating_multiply(ranks_, axis.size);
}

std::int64_t RankGrid::size(std::string_view axis) const {
  for (const Axis& candidate : axes_) {
    if (candidate.name == axis) return candidate.size;
  }
  return 1;
}

std::int64_t RankGrid::stride(std::string_view axis) const {
  std::int64_t stride = 1;
  for (const Axis& candidate : axes_) {
    if (candidate.name == axis) break;
    stride = saturating_multiply(stride, candidate.size);
  }
  return stride;
}

std::int64_t RankGrid::coordinate(std::int64_t rank, std::string_view axis) const {
  return rank / stride(axis) % size(axis);
}

GroupKind::GroupKind(std::string name, const RankGrid& grid, const std::vector<std::string_view>& along)
    : name_(std::move(name)) {
  std::int64_t stride = 1;
  for (const Axis& axis : grid.axes()) {
    const bool varies = std::find(along.begin(), along.end(), axis.name) != along.end();
    (varies ? along_ : fixed_).push_back({axis.size, stride});
    if (varies) parent_size_ = saturating_multiply(parent_size_, axis.size);
    stride = saturating_multiply(stride, axis.size);
  }
  selection_ = {
      .count = parent_size_ > 0 ? grid.ranks() / parent_size_ : 0, .size = parent_size_, .block = parent_size_};
}

GroupKind::GroupKind(std::string name, const GroupKind& parent, const Selection& selection)
    : name_(std::move(name)),
      along_(parent.along_),
      fixed_(parent.fixed_),
      parent_size_(parent.parent_size_),
      selection_(selection) {}

std::int64_t GroupKind::start_of(std::int64_t index) const {
  return index / selection_.interleaved * selection_.block + index % selection_.interleaved;
}

std::int64_t GroupKind::rank_at(std::int64_t position) const {
  std::int64_t rank = 0;
  std::int64_t member = position % parent_size_;
  for (const Digit& digit : along_) {
    rank += member % digit.size * digit.stride;
    member /= digit.size;
  }
  std::int64_t parent = position / parent_size_;
  for (const Digit& digit : fixed_) {
    rank += parent % digit.size * digit.stride;
    parent /= digit.size;
  }
  return rank;
}

std::vector<std::int64_t> GroupKind::group(std::int64_t index) const {
  std::vector<std::int64_t> ranks;
  ranks.reserve(static_cast<std::size_t>(selection_.size));
  const std::int64_t start = start_of(index);
  for (std::int64_t member = 0; member < selection_.size; ++member) {
    ranks.push_back(rank_at(start + member * selection_.stride));
  }
  return ranks;
}

std::vector<std::int64_t> GroupKind::group_of(std::int64_t rank) const {
  // The rank's position among the parent's ranks, then the selection undone.
  std::int64_t position = 0;
  std::int64_t weight = 1;
  for (const std::vector<Digit>* digits : {&along_, &fixed_}) {
    for (const Digit& digit : *digits) {
      position += rank / digit.stride % digit.size * weight;
      weight *= digit.size;
    }
  }
  if (rank < 0 || rank >= weight) return {};
  const std::int64_t inside = position % selection_.block;
  const std::int64_t member = inside / selection_.stride;
  const std::int64_t offset = inside % selection_.stride;
  if (member >= selection_.size || offset >= selection_.interleaved) return {};
  return group(position / selection_.block * selection_.interleaved + offset);
}

std::int64_t GroupKind::groups_across_nodes(std::int64_t ranks_per_node) const {
  if (ranks_per_node < 1 || selection_.size < 2) return 0;
  std::int64_t crossing = 0;
  for (std::int64_t index = 0; index < selection_.count; ++index) {
    const std::int64_t first = start_of(index);
    const std::int64_t last = first + (selection_.size - 1) * selection_.stride;
    std::int64_t lowest = rank_at(first);
    std::int64_t highest = rank_at(last);
    // Ranks ascend inside a parent group; a union of parent groups needs the ends of each.
    for (std::int64_t edge = (first / parent_size_ + 1) * parent_size_; edge <= last; edge += parent_size_) {
      lowest = std::min(lowest, rank_at(edge));
      highest = std::max(highest, rank_at(edge - 1));
    }
    if (lowest / ranks_per_node != highest / ranks_per_node) ++crossing;
  }
  return crossing;
}

bool RankLayout::is_placed() const {
  const auto holds_world = [this](const RankGrid& grid) { return world_size > 0 && grid.ranks() == world_size; };
  return !grids.empty() && std::all_of(grids.begin(), grids.end(), holds_world);
}

}  // namespace primus_plan
