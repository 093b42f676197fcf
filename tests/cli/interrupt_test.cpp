// Ctrl-C while something is searched or tried: what was found so far is told, as `plan` does.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct Interrupted {
  int exit_code = -1;
  std::string out;
  std::string told;  ///< standard error
};

/// Runs primus-plan by a shell and interrupts it once standard error says how far a search is.
Interrupted interrupt(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string script =
      "cd '" + folder.path().string() + "'; rm -f told; '" + binary().string() + "' " + arguments +
      " 2>told & while kill -0 $! 2>/dev/null && ! grep -q ' of ' told 2>/dev/null; do sleep 0.02; done; "
      "kill -INT $! 2>/dev/null; wait $!";
  const ProcessResult result = run_process("/bin/sh", {"-c", script});
  return {result.exit_code, result.out, read_file(folder.path() / "told")};
}

/// Thousands of points: on exp.yaml a matter of seconds, on large.yaml of many.
const std::string long_axis = "gbs=8:150000:8";
const std::string longest_axis = "gbs=8192:4000000:256";

class Interrupt : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("exp.yaml", good_experiment);
    std::filesystem::copy_file(source_dir() / "examples/megatron/deepseek_v3-1024gpu.yaml",
                               folder_.path() / "large.yaml");
  }
  TemporaryFolder folder_;
};

TEST_F(Interrupt, PlansOfACommandAreTheBestSoFar) {
  const Interrupted result = interrupt(folder_, "what-if large.yaml --command plan");
  if (!contains(result.told, " of ")) GTEST_SKIP() << "this machine was through before anybody could interrupt it";
  EXPECT_EQ(result.exit_code, 0) << result.told;
  EXPECT_TRUE(contains(result.out, "tokens/s/GPU")) << result.out;
  EXPECT_TRUE(contains(result.out, "stopped: ")) << result.out;
}

TEST_F(Interrupt, NothingOfAScriptIsRunAfterIt) {
  folder_.write("script", "try " + long_axis + "\n# a remark\nsave kept\n");
  const Interrupted result = interrupt(folder_, "what-if exp.yaml --script script");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.out, "stopped; these are the first ones")) << result.out;
  EXPECT_FALSE(contains(result.out, "save kept")) << result.out;
  EXPECT_TRUE(contains(result.told, "script:3: not run")) << result.told;
}

TEST_F(Interrupt, NorOfAScriptThatAScriptCalls) {
  folder_.write("script", "script inner\nsave outer\n");
  folder_.write("inner", "try " + long_axis + "\n\nsave inner\n");
  const Interrupted result = interrupt(folder_, "what-if exp.yaml --script script");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_FALSE(contains(result.out, "save")) << result.out;
  EXPECT_TRUE(contains(result.told, "inner:3: not run")) << result.told;
}

TEST_F(Interrupt, CommandsOfAPipeToo) {
  folder_.write("input", "try " + long_axis + "\nsave kept\n");
  const Interrupted result = interrupt(folder_, "what-if exp.yaml <input");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.out, "stopped; these are the first ones")) << result.out;
  EXPECT_TRUE(contains(result.told, "<stdin>:2: not run")) << result.told;
}

TEST_F(Interrupt, ASweepHasItsFirstPoints) {
  const Interrupted result = interrupt(folder_, "sweep large.yaml --over " + longest_axis);
  EXPECT_EQ(result.exit_code, 0) << result.told;
  EXPECT_TRUE(contains(result.out, ", stopped before the end,")) << result.out.substr(0, 300);
  EXPECT_TRUE(contains(result.told, "stopped by an interrupt; only the first ")) << result.told;
  const Interrupted json = interrupt(folder_, "sweep large.yaml --format json --over " + longest_axis);
  EXPECT_TRUE(contains(json.out, "\"complete\": false")) << json.out.substr(0, 300);
}

TEST_F(Interrupt, AReportHasWhatWasFound) {
  const Interrupted result = interrupt(folder_, "report large.yaml -o page.html --over " + longest_axis);
  EXPECT_EQ(result.exit_code, 0) << result.told;
  EXPECT_TRUE(contains(result.told, "stopped by an interrupt")) << result.told;
  EXPECT_TRUE(contains(read_file(folder_.path() / "page.html"), "The sweep was ended by an interrupt"));
}

}  // namespace
}  // namespace primus_plan::test
