#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "backends/megatron/groups.h"

namespace primus_plan::megatron {
namespace {

using Kind = GroupFault::Kind;
using Ranks = std::vector<std::int64_t>;

const GroupKind& kind(const RankLayout& layout, std::string_view name) {
  const auto found = std::find_if(layout.groups.begin(), layout.groups.end(),
                                  [&](const GroupKind& one) { return one.name() == name; });
  if (found == layout.groups.end()) throw std::out_of_range(std::string(name));
  return *found;
}

Kind fault_of(const GroupSizes& sizes) { return group_fault(sizes).value().kind; }

TEST(MegatronGroups, HierarchicalContextLevels) {
  // The example of create_hierarchical_groups: 16 ranks as 2 x 2 x 4.
  const RankLayout layout = megatron_layout({.world = 16, .context = 16, .hierarchical_context = {2, 2, 4}});
  EXPECT_EQ(kind(layout, "cp_level_0").count(), 8);
  EXPECT_EQ(kind(layout, "cp_level_0").group(1), (Ranks{2, 3}));
  EXPECT_EQ(kind(layout, "cp_level_1").group(3), (Ranks{5, 7}));
  EXPECT_EQ(kind(layout, "cp_level_2").count(), 4);
  EXPECT_EQ(kind(layout, "cp_level_2").group(1), (Ranks{1, 5, 9, 13}));
}

TEST(MegatronGroups, EmbeddingGroupOfAVSchedule) {
  const RankLayout straight = megatron_layout({.world = 8, .pipeline = 4});
  EXPECT_EQ(kind(straight, "embedding").group(1), (Ranks{1, 7}));
  const RankLayout folded = megatron_layout({.world = 8, .pipeline = 4, .v_schedule = true});
  EXPECT_EQ(kind(folded, "embedding").group(1), (Ranks{1}));
  EXPECT_TRUE(kind(folded, "embedding").group_of(7).empty());
}

TEST(MegatronGroups, FaultsThatNoShippedOrderMeets) {
  EXPECT_EQ(fault_of({.world = 8, .tensor = 0}), Kind::size_not_positive);
  EXPECT_EQ(fault_of({.world = 8, .tensor = std::int64_t{1} << 62, .pipeline = 16}), Kind::world_not_divisible);
  EXPECT_EQ(fault_of({.world = 8, .order = "tp-cp-ep-dp-pp-tp"}), Kind::order_repeats_name);
  EXPECT_EQ(fault_of({.world = 8, .order = "tpcp-ep-dp-pp"}), Kind::order_unknown_name);
  EXPECT_EQ(fault_of({.world = 8, .context = 4, .hierarchical_context = {2, 4}}), Kind::hierarchical_product);
  EXPECT_EQ(fault_of({.world = 8, .expert = 8, .optimizer_instances = 2}), Kind::instances_of_expert_data);
  // Expert and dense data parallel sizes agree, but pp neighbours of the two grids are 4 and 2 ranks apart.
  EXPECT_EQ(
      fault_of({.world = 16, .tensor = 4, .pipeline = 2, .expert = 2, .expert_tensor = 2, .order = "tp-pp-ep-dp-cp"}),
      Kind::pipeline_groups_differ);
}

TEST(MegatronGroups, TheTestForPpLastReadsTheOrderAsWritten) {
  const GroupSizes lower{.world = 16, .pipeline = 2, .expert = 2};
  GroupSizes upper = lower;
  upper.order = "TP-CP-EP-DP-PP";
  EXPECT_FALSE(group_fault(lower).has_value());
  EXPECT_EQ(fault_of(upper), Kind::pipeline_not_last);
}

TEST(MegatronGroups, FaultLeavesALayoutWithoutGroups) {
  const RankLayout layout = megatron_layout({.world = 8, .tensor = 3});
  EXPECT_EQ(layout.world_size, 8);
  EXPECT_TRUE(layout.groups.empty());
}

}  // namespace
}  // namespace primus_plan::megatron
