#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/config/launch.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan {
namespace {

std::string shape(const Launch& launch) {
  return std::to_string(launch.world_size) + " = " + std::to_string(launch.nodes) + " x " +
         std::to_string(launch.gpus_per_node) + " (" + launch.source + ")";
}

TEST(Launch, FlagsComeFirst) {
  Environment environment;
  environment.set("NNODES", "4");
  EXPECT_EQ(shape(find_launch({.world_size = 64}, environment, Pragma())), "64 = 8 x 8 (--world-size)");
  EXPECT_EQ(shape(find_launch({.nodes = 2}, environment, Pragma())), "16 = 2 x 8 (--nodes)");
  EXPECT_EQ(shape(find_launch({.nodes = 2, .gpus_per_node = 4}, {}, Pragma())), "8 = 2 x 4 (--nodes, --gpus-per-node)");
}

TEST(Launch, SourcesCompleteEachOther) {
  Environment environment;
  environment.set("GPUS_PER_NODE", "4");
  EXPECT_EQ(shape(find_launch({.nodes = 2}, environment, Pragma())), "8 = 2 x 4 (--nodes, GPUS_PER_NODE)");
  EXPECT_EQ(shape(find_launch({}, environment, {.world_size = 6})), "6 = 2 x 4 (the comment, GPUS_PER_NODE)");
  EXPECT_EQ(shape(find_launch({}, environment, Pragma())), "0 = 0 x 4 (GPUS_PER_NODE)");
  EXPECT_EQ(shape(find_launch({}, {}, Pragma())), "0 = 0 x 8 ()");
}

TEST(Launch, ReadsPrimusThenTorchrunThenSlurm) {
  Environment environment;
  environment.set("SLURM_NNODES", "3");
  environment.set("SLURM_GPUS_PER_NODE", "mi300x:4");
  EXPECT_EQ(shape(find_launch({}, environment, Pragma())), "12 = 3 x 4 (SLURM_NNODES, SLURM_GPUS_PER_NODE)");
  environment.set("SLURM_GPUS_ON_NODE", "8");
  EXPECT_EQ(shape(find_launch({}, environment, Pragma())), "24 = 3 x 8 (SLURM_NNODES, SLURM_GPUS_ON_NODE)");
  environment.set("WORLD_SIZE", "32");
  EXPECT_EQ(shape(find_launch({}, environment, Pragma())), "32 = 4 x 8 (WORLD_SIZE, SLURM_NNODES, SLURM_GPUS_ON_NODE)");
}

TEST(Launch, AWorldThatContradictsItsNodesKeepsItsSize) {
  EXPECT_EQ(shape(find_launch({.world_size = 12, .nodes = 2, .gpus_per_node = 8}, {}, Pragma())),
            "12 = 2 x 8 (--world-size, --nodes, --gpus-per-node)");
  EXPECT_EQ(shape(find_launch({.world_size = 8, .nodes = 2}, {}, Pragma())), "8 = 2 x 4 (--world-size, --nodes)");
}

TEST(Launch, FlagsThatContradictEachOtherAreRefusedVariablesAreNot) {
  for (const LaunchOptions& options : {LaunchOptions{.world_size = 40, .nodes = 2, .gpus_per_node = 8},
                                       LaunchOptions{.world_size = 3, .nodes = 2, .gpus_per_node = {}}}) {
    EXPECT_THROW(find_launch(options, {}, Pragma()), LoadError) << *options.world_size;
  }
  Environment environment;
  environment.set("NNODES", "2");
  environment.set("WORLD_SIZE", "41");
  EXPECT_EQ(shape(find_launch({}, environment, Pragma())), "41 = 6 x 8 (NNODES, WORLD_SIZE)");
}

TEST(Launch, AWorldTooLargeToBeLaunchedIsNotAssumed) {
  for (const std::int64_t smallest : {std::int64_t{0}, std::int64_t{1} << 40, INT64_MAX}) {
    EXPECT_EQ(shape(assume_launch(smallest, 8)), "8 = 1 x 8 (one node)") << smallest;
  }
}

TEST(Launch, NonsenseIsRefusedWithItsName) {
  const auto message = [](const LaunchOptions& options, const char* name, const char* value) {
    Environment environment;
    if (name != nullptr) environment.set(name, value);
    try {
      return shape(find_launch(options, environment, Pragma()));
    } catch (const LoadError& error) {
      EXPECT_EQ(error.finding().rule->name, "bad-launch-size");
      return std::string(error.what());
    }
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({.world_size = 0}, nullptr, nullptr), HasSubstr("--world-size must be a whole number"));
  EXPECT_THAT(message({.nodes = -1}, nullptr, nullptr), HasSubstr("not '-1'"));
  for (const char* value : {"0", "-1", "abc", "8x", "1e3", "99999999999999999999", "2097152"}) {
    EXPECT_THAT(message({}, "NNODES", value), HasSubstr("NNODES must be a whole number from 1 to 1048576, not '"));
  }
  EXPECT_THAT(message({.nodes = 1 << 20, .gpus_per_node = 1 << 20}, nullptr, nullptr), HasSubstr("product"));
  EXPECT_EQ(message({}, "NNODES", ""), "0 = 0 x 8 ()");
}

TEST(Launch, ThePlatformNamesTheVariables) {
  Experiment experiment;
  Node platform;
  Node exp;
  const auto entry = [](const char* key, NodePtr value) {
    return Entry{make_string(key), value, {}, std::make_shared<const Assignment>(Assignment{value, {}})};
  };
  platform.set_entries(
      {entry("num_nodes_env_key", make_string("MY_NODES")), entry("gpus_per_node_env_key", make_null())});
  exp.set_entries({entry("platform", std::make_shared<const Node>(platform))});
  experiment.exp = std::make_shared<const Node>(exp);
  Environment environment;
  environment.set("MY_NODES", "2");
  environment.set("NNODES", "9");
  environment.set("GPUS_PER_NODE", "4");
  EXPECT_EQ(shape(find_launch({}, environment, experiment)), "8 = 2 x 4 (MY_NODES, GPUS_PER_NODE)");
}

TEST(Launch, AnAssumedWorldFillsWholeNodes) {
  EXPECT_EQ(shape(assume_launch(4, 8)), "4 = 1 x 8 (smallest world for these degrees)");
  EXPECT_EQ(shape(assume_launch(12, 8)), "16 = 2 x 8 (smallest world for these degrees)");
  EXPECT_TRUE(assume_launch(1, 8).assumed);
}

}  // namespace
}  // namespace primus_plan
