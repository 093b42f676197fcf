#include <gtest/gtest.h>

#include <string>

#include "primus_plan/config/experiment.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/planner/written_plan.h"
#include "support/folder.h"

namespace primus_plan {
namespace {

constexpr const char* keys = "tensor_model_parallel_size: 2\nmicro_batch_size: 1\n";

/// The text after its launch comment was made to say this.
std::string changed(const std::string& comment, const LaunchComment& wanted) {
  const MemoryFiles files;
  const Loader loader(files, {});
  const std::string text = comment + keys;
  const LoadResult loaded = loader.load_text("exp.yaml", text, {});
  const Experiment& experiment = loaded.experiments.at(0);
  std::string out = with_launch_comment(text, experiment.pragma.origin, wanted);
  EXPECT_TRUE(out.ends_with(keys)) << out;
  return out.substr(0, out.size() - std::string(keys).size());
}

TEST(LaunchComment, SaysTheNewSizeInThePlaceOfTheOld) {
  EXPECT_EQ(changed("# primus-plan: world-size=64\n", {.world_size = 128}), "# primus-plan: world-size=128\n");
  EXPECT_EQ(changed("# primus-plan: nodes=8, gpus-per-node=8\n", {.world_size = 32}),
            "# primus-plan: world-size=32 gpus-per-node=8\n");
  EXPECT_EQ(changed("", {.world_size = 16}), "# primus-plan: world-size=16\n");
}

TEST(LaunchComment, NodesThatAreNotOfEightAreTold) {
  // Without its nodes the comment would speak of nodes of 8.
  EXPECT_EQ(changed("# primus-plan: world-size=64 nodes=16\n", {.world_size = 32, .gpus_per_node = 4}),
            "# primus-plan: world-size=32 gpus-per-node=4\n");
  EXPECT_EQ(changed("# primus-plan: world-size=64 gpus-per-node=16\n", {.world_size = 32, .gpus_per_node = 4}),
            "# primus-plan: world-size=32 gpus-per-node=4\n");
}

TEST(LaunchComment, NamesThePartWhereOneIsWanted) {
  EXPECT_EQ(changed("# primus-plan: world-size=64 hardware=MI300X\n", {.world_size = 32}),
            "# primus-plan: world-size=32 hardware=MI300X\n");
  EXPECT_EQ(changed("# primus-plan: world-size=64 hardware=MI300X\n", {.world_size = 32, .hardware = "MI355X"}),
            "# primus-plan: world-size=32 hardware=MI355X\n");
  EXPECT_EQ(changed("# primus-plan: world-size=64\n", {.hardware = "MI355X"}),
            "# primus-plan: world-size=64 hardware=MI355X\n");
  EXPECT_EQ(changed("# primus-plan: world-size=64\n", {}), "# primus-plan: world-size=64\n");
}

TEST(LaunchComment, TheStatedPartIsABuiltInOne) {
  const auto stated = [](const std::string& text) {
    const auto hint = stated_hardware(Source("exp.yaml", text));
    return hint ? hint->name : std::string();
  };
  EXPECT_EQ(stated("# tuned on MI300X\n# primus-plan: world-size=8 hardware=mi355x\n"), "MI355X");
  EXPECT_EQ(stated("a: 1  # primus-plan: hardware=MI325X\n# primus-plan: hardware=MI355X\n"), "MI325X");
  EXPECT_EQ(stated("# primus-plan: hardware=../secret.yaml\n"), "");
  EXPECT_EQ(stated("a: 'b # primus-plan: hardware=MI325X'\n"), "");
  EXPECT_EQ(stated("# primus-plan hardware=MI355X\n"), "");
}

TEST(LaunchComment, APartThatNobodyKnowsIsRemarked) {
  const MemoryFiles files;
  const Loader loader(files, {});
  const auto remarks = [&](const std::string& comment) {
    return loader.load_text("exp.yaml", comment + keys, {}).experiments.at(0).remarks.size();
  };
  const std::size_t none = remarks("# primus-plan: world-size=8\n");
  EXPECT_EQ(remarks("# primus-plan: world-size=8 hardware=MI355X\n"), none);
  EXPECT_EQ(remarks("# primus-plan: world-size=8 hardware=parts.yaml\n"), none + 1);
}

}  // namespace
}  // namespace primus_plan
