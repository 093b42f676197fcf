// layout and what-if, as a user runs them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(LayoutCommand, DegreesWithoutAFile) {
  const ProcessResult result = run_plan({"layout", "--tp", "4", "--pp", "2", "--world-size", "16"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "16 ranks on nodes of 8, fastest axis first: tp-cp-ep-dp-pp")) << result.out;
  EXPECT_TRUE(contains(result.out, "       1            8-15       0-3       0-1         1")) << result.out;
}

TEST(LayoutCommand, JsonListsEveryGroup) {
  const ProcessResult result = run_plan({"layout", "--tp", "2", "--pp", "2", "--world-size", "8", "--format", "json"});
  const json layout = json::parse(result.out);
  EXPECT_EQ(layout.at("world_size"), 8);
  EXPECT_EQ(layout.at("groups").at("tp"), json::parse("[[0,1],[2,3],[4,5],[6,7]]"));
  EXPECT_EQ(layout.at("groups").at("dp"), json::parse("[[0,2],[1,3],[4,6],[5,7]]"));
  EXPECT_EQ(layout.at("groups").at("pp"), json::parse("[[0,4],[1,5],[2,6],[3,7]]"));
}

TEST(LayoutCommand, LongListsAreShortenedUnlessAsked) {
  const std::vector<std::string> arguments{"layout", "--tp", "8", "--world-size", "1024", "--format", "json"};
  const json folded = json::parse(run_plan(arguments).out).at("groups").at("tp");
  EXPECT_EQ(folded.at("count"), 128);
  EXPECT_EQ(folded.at("size"), 8);
  EXPECT_EQ(folded.at("last").at(7), 1023);
  std::vector<std::string> all = arguments;
  all.emplace_back("--all");
  EXPECT_EQ(json::parse(run_plan(all).out).at("groups").at("tp").size(), 128U);
}

TEST(LayoutCommand, OneRank) {
  const ProcessResult result = run_plan({"layout", "--tp", "8", "--pp", "2", "--world-size", "64", "--rank", "37"});
  EXPECT_TRUE(contains(result.out, "rank 37 is GPU 5 of node 4")) << result.out;
  EXPECT_TRUE(contains(result.out, "node 0: 5  node 4: 37")) << "its pipeline peers:\n" << result.out;
  EXPECT_EQ(run_plan({"layout", "--world-size", "8", "--rank", "8"}).exit_code, 2);
}

TEST(LayoutCommand, HundredThousandRanks) {
  const ProcessResult result = run_plan({"layout", "--tp", "8", "--pp", "16", "--world-size", "131072"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LT(result.out.size(), 8000U) << "a summary, not a list";
}

TEST(LayoutCommand, WhatIsWrongWithDegreesGoesByNoModel) {
  const ProcessResult result = run_plan({"layout", "--set", "tensor_model_parallel_size=3", "--world-size", "64"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "world size 64 is not a multiple of TP 3")) << result.err;
  EXPECT_TRUE(contains(result.err, "help: the degrees divide 63 and 66 ranks")) << result.err;
  EXPECT_FALSE(contains(result.err, "heads")) << "the presets' model is nobody's:\n" << result.err;
  const ProcessResult small = run_plan({"layout", "--tp", "8", "--world-size", "4"});
  EXPECT_TRUE(contains(small.err, "the degrees need 8 ranks")) << small.err;
}

TEST(LayoutCommand, IllegalDegreesAreFindings) {
  const ProcessResult result = run_plan({"layout", "--tp", "3", "--world-size", "8"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "MG102")) << result.err;
}

class WhatIfCommand : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(WhatIfCommand, ShowsWhatMovesAndWhatComes) {
  const std::string path = folder_.write("good.yaml", good_experiment);
  const ProcessResult result = run_plan({"what-if", path, "--set", "global_batch_size=33", "--nodes", "2"});
  EXPECT_EQ(result.exit_code, 1) << "the changed experiment has errors";
  EXPECT_TRUE(contains(result.out, "world size                        8             16")) << result.out;
  EXPECT_TRUE(contains(result.out, "new: ")) << result.out;
  EXPECT_TRUE(contains(result.out, "MG203")) << result.out;
}

TEST_F(WhatIfCommand, AMendedFaultIsGone) {
  const std::string path = folder_.write("bad.yaml", bad_experiment);
  const ProcessResult result = run_plan({"what-if", path, "--set", "global_batch_size=64", "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json change = json::parse(result.out);
  EXPECT_EQ(change.at("gone").size(), 1U);
  EXPECT_EQ(change.at("gone").at(0).at("rule"), "MG203");
  EXPECT_EQ(change.at("new").size(), 0U);
  EXPECT_EQ(change.at("after").at("batch").at("accumulation_steps"), 8);
  EXPECT_TRUE(change.at("before").at("batch").at("accumulation_steps").is_null());
}

}  // namespace
}  // namespace primus_plan::test
