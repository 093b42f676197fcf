// The groups of initialize_model_parallel, as Megatron's own code built them.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "backends/megatron/groups.h"
#include "support/oracle.h"
#include "support/sha256.h"

namespace primus_plan::megatron {
namespace {

using nlohmann::json;
using Kind = GroupFault::Kind;

constexpr const char* oracle_file = "megatron_groups.json";

/// Megatron's group_desc and our name, in Megatron's order of creation.
const std::pair<const char*, const char*> names[] = {
    {"DATA_PARALLEL_GROUP_WITH_CP", "dp_cp"},
    {"INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP", "intra_dp_cp"},
    {"DATA_PARALLEL_GROUP", "dp"},
    {"CONTEXT_PARALLEL_GROUP", "cp"},
    {"HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L0", "cp_level_0"},
    {"HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L1", "cp_level_1"},
    {"MODEL_PARALLEL_GROUP", "mp"},
    {"TENSOR_MODEL_PARALLEL_GROUP", "tp"},
    {"PIPELINE_MODEL_PARALLEL_GROUP", "pp"},
    {"EMBEDDING_GROUP", "embedding"},
    {"POSITION_EMBEDDING_GROUP", "position_embedding"},
    {"TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP", "tp_dp_cp"},
    {"TENSOR_AND_DATA_PARALLEL_GROUP", "tp_dp"},
    {"TENSOR_AND_CONTEXT_PARALLEL_GROUP", "tp_cp"},
    {"EXPERT_MODEL_PARALLEL_GROUP", "ep"},
    {"EXPERT_TENSOR_PARALLEL_GROUP", "expert_tp"},
    {"EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", "expert_tp_ep"},
    {"EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "expert_mp"},
    {"EXPERT_DATA_PARALLEL_GROUP", "expert_dp"},
    {"HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L0", "intra_expert_dp"},
    {"HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L1", "inter_expert_dp"},
    {"INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP", "optimizer_instance"},
};

GroupSizes sizes_of(const json& in) {
  GroupSizes sizes;
  sizes.world = in.at("world");
  sizes.tensor = in.at("tp");
  sizes.pipeline = in.at("pp");
  sizes.context = in.at("cp");
  sizes.expert = in.at("ep");
  sizes.order = in.at("order").get_ref<const std::string&>();
  sizes.optimizer_instances = in.at("instances");
  if (!in.at("etp").is_null()) sizes.expert_tensor = in.at("etp");
  if (!in.at("vpp").is_null()) sizes.virtual_pipeline = in.at("vpp");
  return sizes;
}

/// Words of Megatron's message that only this fault uses.
std::string words_of(const GroupFault& fault) {
  const std::string numbers = "(" + std::to_string(fault.value) + ")";
  const std::string divisor = std::to_string(fault.divisor);
  switch (fault.kind) {
    case Kind::size_not_positive:
      return "modulo by zero";
    case Kind::world_not_divisible:
      return "world_size " + numbers + " is not divisible by " + divisor;
    case Kind::virtual_needs_pipeline:
      return "greater than 1 with interleaved schedule";
    case Kind::order_unknown_name:
      return "'" + std::string(fault.name) + "'";
    case Kind::order_repeats_name:
      return "";
    case Kind::order_lacks_name:
      return "The size of (" + std::string(fault.name) + ") is " + numbers;
    case Kind::expert_world_not_divisible:
      return "world_size " + numbers + " is not divisible by expert_tensor_model_pipeline_parallel size (" + divisor +
             ")";
    case Kind::pipeline_not_last:
      return "When not using pp-last rank ordering";
    case Kind::pipeline_groups_differ:
      return "Pipeline parallel groups are expected to be the same";
    case Kind::instances_of_data_context:
      return "Data parallel size should be divisible by partial DistOpt";
    case Kind::hierarchical_product:
      return "";
    case Kind::instances_of_expert_data:
      return "Expert data parallel size should be divisible by partial DistOpt";
  }
  return "?";
}

json all_groups(const GroupKind& kind) {
  json groups = json::array();
  for (std::int64_t index = 0; index < kind.count(); ++index) groups.push_back(kind.group(index));
  return groups;
}

void compare_groups(const json& expected, const RankLayout& layout) {
  std::vector<std::string> order;
  for (const auto& [description, name] : names) {
    const auto found = std::find_if(layout.groups.begin(), layout.groups.end(),
                                    [&, ours = name](const GroupKind& kind) { return kind.name() == ours; });
    ASSERT_EQ(found != layout.groups.end(), expected.contains(description)) << name;
    if (found == layout.groups.end()) continue;
    EXPECT_EQ(found - layout.groups.begin(), std::ssize(order)) << name << " is out of Megatron's order";
    order.push_back(name);
    const json& group = expected.at(description);
    EXPECT_EQ(found->count(), group.at("count")) << name;
    EXPECT_EQ(found->size(), group.at("size")) << name;
    const json ours = all_groups(*found);
    EXPECT_EQ(sha256(ours.dump()), group.at("sha256")) << name << " " << ours.dump().substr(0, 200);
  }
  EXPECT_EQ(order.size(), expected.size());
  ASSERT_EQ(order.size(), layout.groups.size());
}

TEST(MegatronGroups, EveryGroupIsMegatronsOwn) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  std::size_t built = 0;
  for (const json& one : oracle->at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const GroupSizes sizes = sizes_of(one.at("in"));
    const auto fault = group_fault(sizes);
    ASSERT_EQ(fault.has_value(), !one.at("error").is_null()) << one.at("error");
    const RankLayout layout = megatron_layout(sizes);
    if (fault) {
      const std::string message = one.at("error").at("message");
      EXPECT_NE(message.find(words_of(*fault)), std::string::npos) << message << " / " << words_of(*fault);
      EXPECT_TRUE(layout.groups.empty());
      continue;
    }
    ++built;
    EXPECT_EQ(layout.grids.at(0).size("dp"), one.at("dp"));
    EXPECT_EQ(layout.grids.at(1).size("dp"), one.at("edp"));
    compare_groups(one.at("groups"), layout);
  }
  EXPECT_GT(built, 0U);
}

}  // namespace
}  // namespace primus_plan::megatron
