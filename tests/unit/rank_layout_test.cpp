#include "primus_plan/layout/rank_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace primus_plan {
namespace {

using Ranks = std::vector<std::int64_t>;

RankGrid cube() { return RankGrid({{"tp", 2}, {"dp", 3}, {"pp", 2}}); }

TEST(RankGrid, StridesAndCoordinates) {
  const RankGrid grid = cube();
  EXPECT_EQ(grid.ranks(), 12);
  EXPECT_EQ(grid.stride("tp"), 1);
  EXPECT_EQ(grid.stride("dp"), 2);
  EXPECT_EQ(grid.stride("pp"), 6);
  EXPECT_EQ(grid.size("ep"), 1);
  EXPECT_EQ(grid.coordinate(9, "tp"), 1);
  EXPECT_EQ(grid.coordinate(9, "dp"), 1);
  EXPECT_EQ(grid.coordinate(9, "pp"), 1);
  EXPECT_EQ(grid.coordinate(9, "ep"), 0);
}

TEST(GroupKind, GridGroups) {
  const GroupKind dp("dp", cube(), {"dp"});
  EXPECT_EQ(dp.count(), 4);
  EXPECT_EQ(dp.size(), 3);
  EXPECT_EQ(dp.group(0), (Ranks{0, 2, 4}));
  EXPECT_EQ(dp.group(3), (Ranks{7, 9, 11}));
  EXPECT_EQ(dp.group_of(9), (Ranks{7, 9, 11}));
  // The order inside a group is the grid's, whatever order the names are given in.
  EXPECT_EQ(GroupKind("mp", cube(), {"pp", "tp"}).group(1), (Ranks{2, 3, 8, 9}));
  EXPECT_EQ(GroupKind("none", cube(), {"ep"}).count(), 12);
  EXPECT_TRUE(dp.group_of(12).empty());
  EXPECT_TRUE(dp.group_of(-1).empty());
}

TEST(GroupKind, FirstAndLastLeaveTheMiddleOut) {
  const RankGrid grid({{"tp", 2}, {"pp", 4}});
  const GroupKind pp("pp", grid, {"pp"});
  const GroupKind ends("embedding", pp, {.count = 2, .size = 2, .stride = 3, .block = 4});
  EXPECT_EQ(ends.group(1), (Ranks{1, 7}));
  EXPECT_EQ(ends.group_of(7), (Ranks{1, 7}));
  EXPECT_TRUE(ends.group_of(3).empty());
  EXPECT_TRUE(ends.group_of(5).empty());
}

TEST(GroupKind, SharesNeedNotFollowTheAxes) {
  // Ten ranks on axes 5 x 2 cut in two halves of five would follow an axis; 2 x 5 cut in two does not.
  const RankGrid grid({{"cp", 2}, {"dp", 5}});
  const GroupKind both("dp_cp", grid, {"cp", "dp"});
  const GroupKind halves("intra", both, {.count = 2, .size = 5, .block = 5});
  EXPECT_EQ(halves.group(0), (Ranks{0, 1, 2, 3, 4}));
  EXPECT_EQ(halves.group_of(7), (Ranks{5, 6, 7, 8, 9}));
}

/// The same count by looking at every rank.
std::int64_t crossing(const GroupKind& kind, std::int64_t ranks_per_node) {
  std::int64_t result = 0;
  for (std::int64_t index = 0; index < kind.count(); ++index) {
    std::set<std::int64_t> nodes;
    for (const std::int64_t rank : kind.group(index)) nodes.insert(rank / ranks_per_node);
    result += nodes.size() > 1 ? 1 : 0;
  }
  return result;
}

TEST(GroupKind, GroupsAcrossNodesIsWhatCountingFinds) {
  const RankGrid grid({{"tp", 3}, {"cp", 2}, {"dp", 4}, {"pp", 2}});
  const std::vector<std::vector<std::string_view>> all{{"tp"},       {"cp"},       {"dp"},       {"pp"},
                                                       {"tp", "pp"}, {"cp", "dp"}, {"tp", "dp"}, {"tp", "cp", "dp"}};
  for (const auto& along : all) {
    const GroupKind kind("kind", grid, along);
    const GroupKind pairs("pairs", kind,
                          {.count = kind.count() / 2, .size = kind.size() * 2, .block = kind.size() * 2});
    for (const std::int64_t node : {1, 2, 4, 5, 6, 8, 48, 100}) {
      EXPECT_EQ(kind.groups_across_nodes(node), crossing(kind, node)) << along.front() << " " << node;
      EXPECT_EQ(pairs.groups_across_nodes(node), crossing(pairs, node)) << along.front() << " pairs " << node;
    }
  }
}

TEST(GroupKind, EveryRankIsInTheGroupItIsSaidToBeIn) {
  const RankGrid grid({{"tp", 2}, {"cp", 3}, {"dp", 4}});
  const GroupKind dp("dp", grid, {"dp"});
  const GroupKind strided("inter", dp, {.count = 12, .size = 2, .stride = 2, .interleaved = 2, .block = 4});
  for (std::int64_t rank = 0; rank < grid.ranks(); ++rank) {
    for (const GroupKind* kind : {&dp, &strided}) {
      const Ranks group = kind->group_of(rank);
      EXPECT_EQ(std::count(group.begin(), group.end(), rank), 1) << kind->name() << " " << rank;
    }
  }
}

TEST(GroupKind, HundredThousandRanks) {
  const RankGrid grid({{"tp", 8}, {"cp", 2}, {"dp", 512}, {"pp", 16}});
  ASSERT_EQ(grid.ranks(), 131072);
  const GroupKind tp("tp", grid, {"tp"});
  const GroupKind dp("dp", grid, {"dp"});
  EXPECT_EQ(tp.groups_across_nodes(8), 0);
  EXPECT_EQ(dp.groups_across_nodes(8), 256);
  EXPECT_EQ(dp.group(255).back(), 131071);
}

TEST(RankLayout, IsPlacedWhenEveryGridHoldsTheWorld) {
  RankLayout layout{.world_size = 12, .ranks_per_node = 8, .order = "", .grids = {cube(), cube()}, .groups = {}};
  EXPECT_TRUE(layout.is_placed());
  layout.world_size = 24;
  EXPECT_FALSE(layout.is_placed());
  EXPECT_FALSE(RankLayout{}.is_placed());
  // Axes that no run has: nothing is divided by them.
  const RankGrid none({{"tp", 0}, {"dp", 3}});
  EXPECT_EQ(GroupKind("tp", none, {"tp"}).count(), 0);
  EXPECT_EQ(RankGrid({{"tp", INT64_MAX}, {"dp", 4}}).ranks(), INT64_MAX);
}

}  // namespace
}  // namespace primus_plan
