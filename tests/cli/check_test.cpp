// check, as a user runs it: exit codes, streams, kinds of files.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/schema.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class CheckCommand : public ::testing::Test {
 protected:
  std::string good() { return folder_.write("good.yaml", good_experiment); }
  std::string bad() { return folder_.write("bad.yaml", bad_experiment); }

  TemporaryFolder folder_;
};

TEST_F(CheckCommand, CleanFile) {
  const ProcessResult result = run_plan({"check", good()});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "good.yaml: ok")) << result.out;
  EXPECT_TRUE(contains(result.out, "8 GPUs = 1 node x 8   TP 2 x PP 1 x CP 1   DP 4")) << result.out;
  EXPECT_TRUE(contains(result.out, "global batch 32 = micro-batch 2 x DP 4 x 4 accumulation steps")) << result.out;
}

TEST_F(CheckCommand, BrokenFilePointsAtTheLine) {
  const std::string path = bad();
  const ProcessResult result = run_plan({"check", path});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, path + ":15:26: error: ")) << result.out;
  EXPECT_TRUE(contains(result.out, "   15 |       global_batch_size: 33\n")) << result.out;
}

TEST_F(CheckCommand, FlagsChangeTheQuestion) {
  EXPECT_EQ(run_plan({"check", bad(), "--set", "global_batch_size=64"}).exit_code, 0);
  EXPECT_EQ(run_plan({"check", bad(), "--", "global_batch_size=64"}).exit_code, 0);
  EXPECT_EQ(run_plan({"check", good(), "--world-size", "24"}).exit_code, 1) << "32 does not divide by 2 x 12";
  EXPECT_EQ(run_plan({"check", good(), "--env", "NNODES=3"}).exit_code, 1) << "the environment beats the pragma";
}

TEST_F(CheckCommand, StandardInput) {
  const ProcessResult result = run_plan({"check", "-"}, {.input = std::string(bad_experiment)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out, "<stdin>:15:26: error: ")) << result.out;
  EXPECT_EQ(run_plan({"check", "-"}, {.input = std::string(good_experiment)}).exit_code, 0);
}

TEST_F(CheckCommand, JsonFitsItsSchemaAndIsAllOfTheOutput) {
  const ProcessResult result = run_plan({"check", good(), bad(), "--format", "json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "");
  const json report = json::parse(result.out);
  EXPECT_EQ(schema_faults(report, "report.schema.json"), "");
  ASSERT_EQ(report["files"].size(), 2U);
  EXPECT_EQ(report["files"][0]["verdict"], "ok");
  EXPECT_EQ(report["files"][0]["degrees"]["data"], 4);
  EXPECT_EQ(report["files"][1]["verdict"], "error");
  EXPECT_EQ(report["files"][1]["findings"][0]["location"]["line"], 15);
  EXPECT_EQ(report["summary"]["files"], 2);
}

TEST_F(CheckCommand, BadYamlIsAFinding) {
  const std::string path = folder_.write("broken.yaml", "modules: [\n");
  const ProcessResult result = run_plan({"check", path});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, path + ":")) << result.out;
  EXPECT_TRUE(contains(result.out, ": error: ")) << result.out;
  EXPECT_EQ(run_plan({"check", folder_.write("empty.yaml", "")}).exit_code, 1);
}

TEST_F(CheckCommand, MissingPathIsTrouble) {
  const ProcessResult result = run_plan({"check", good(), (folder_.path() / "none.yaml").string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "") << "nothing is checked before all paths are known";
  EXPECT_TRUE(contains(result.err, "none.yaml: no such file")) << result.err;
}

TEST_F(CheckCommand, UnreadableFileIsAFinding) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string path = good();
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_EQ(run_plan({"check", path}).exit_code, 1);
}

TEST_F(CheckCommand, PipesAndDevicesAreRefusedWithoutWaiting) {
  const std::string fifo = (folder_.path() / "fifo.yaml").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(run_plan({"check", fifo}).exit_code, 1);
  EXPECT_EQ(run_plan({"check", "/dev/zero"}).exit_code, 1);
}

TEST_F(CheckCommand, FolderMeansTheExperimentsBelowIt) {
  folder_.write("runs/b/bad.yml", bad_experiment);
  folder_.write("runs/a/good.yaml", good_experiment);
  folder_.write("runs/values.yaml", "key: no experiment\n");
  folder_.write("runs/notes.txt", "modules: none of our business\n");
  folder_.write("runs/.hidden/bad.yaml", bad_experiment);
  const std::string path = (folder_.path() / "runs").string();
  const ProcessResult result = run_plan({"check", path});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out, "runs/b/bad.yml: 1 error")) << result.out;
  EXPECT_FALSE(contains(result.out, "good.yaml")) << result.out;
  EXPECT_TRUE(result.out.ends_with("2 files: 1 error\n")) << result.out;
  EXPECT_TRUE(contains(run_plan({"check", path, "-v"}).out, "runs/a/good.yaml: ok"));
}

TEST_F(CheckCommand, FolderMayHoldExperimentsThatExtendOthers) {
  folder_.write("runs/base.yaml", good_experiment);
  folder_.write("runs/child.yaml",
                "extends: base.yaml\nmodules:\n  pre_trainer:\n    overrides:\n      global_batch_size: 33\n");
  folder_.write("runs/alias.yaml", "extends: base.yaml\nexp_name: other\n");
  folder_.write("runs/preset.yaml", "extends: values.yml\nnum_layers: 2\n");
  folder_.write("runs/values.yml", "hidden_size: 64\n");
  const ProcessResult result = run_plan({"check", (folder_.path() / "runs").string(), "--world-size", "8"});
  EXPECT_TRUE(result.out.ends_with("3 files: 1 error\n")) << result.out << result.err;
}

TEST_F(CheckCommand, FolderWithoutExperimentsIsTrouble) {
  folder_.write("values.yaml", "key: value\n");
  const ProcessResult result = run_plan({"check", folder_.path().string(), "--format", "json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "no experiment")) << result.err;
}

TEST_F(CheckCommand, ThreadsDoNotChangeTheReport) {
  for (int i = 0; i < 60; ++i) {
    folder_.write("runs/" + std::to_string(i) + ".yaml", i % 3 == 0 ? bad_experiment : good_experiment);
  }
  const std::string path = (folder_.path() / "runs").string();
  const std::string one = run_plan({"check", path, "--jobs", "1", "-v"}).out;
  EXPECT_TRUE(one.ends_with("60 files: 20 errors\n")) << one;
  for (const char* jobs : {"2", "7", "64"}) EXPECT_EQ(run_plan({"check", path, "--jobs", jobs, "-v"}).out, one);
}

// What the guide computes is shown, with a note of what runs; no finding, repair or other command goes by it.
TEST_F(CheckCommand, TheGuidesFormulaIsForShowing) {
  const std::string file = (source_dir() / "examples/megatron/mixtral_8x7B-16gpu.yaml").string();
  const std::string shown = run_plan({"check", file, "--dp-formula", "guide"}).out;
  EXPECT_TRUE(contains(shown, "micro-batch 1 x DP 2 x 128 accumulation steps")) << shown;
  EXPECT_TRUE(contains(shown, "Megatron itself uses DP 16 = world / (TP x PP x CP) and 16 accumulation steps"))
      << shown;
  const std::vector<std::string> illegal{"check", file, "--set", "global_batch_size=24", "--format", "json"};
  std::vector<std::string> by_guide = illegal;
  by_guide.insert(by_guide.end(), {"--dp-formula", "guide"});
  const json runs = json::parse(run_plan(illegal).out).at("files").at(0);
  const json guide = json::parse(run_plan(by_guide).out).at("files").at(0);
  EXPECT_EQ(guide.at("degrees").at("data"), 2);
  EXPECT_EQ(guide.at("batch").at("accumulation_steps"), runs.at("batch").at("accumulation_steps"));
  for (const char* same : {"findings", "repairs", "legal_worlds"}) EXPECT_EQ(guide.at(same), runs.at(same)) << same;
  for (const char* command : {"estimate", "layout", "pipeline", "report", "advise", "what-if", "diff", "sweep"}) {
    const ProcessResult refused = run_plan({command, file, "--dp-formula", "guide"});
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_TRUE(contains(refused.err, "--dp-formula")) << command << ": " << refused.err;
  }
}

TEST_F(CheckCommand, WorldsAreListed) {
  const ProcessResult result = run_plan({"check", good(), "--worlds"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.out, "legal world sizes:\n")) << result.out;
}

}  // namespace
}  // namespace primus_plan::test
