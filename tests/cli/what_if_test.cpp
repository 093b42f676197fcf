// what-if with flags, scripts and pipes, as a user or a program runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class WhatIf : public ::testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> arguments, const std::string& input = {}) const {
    arguments.insert(arguments.begin(), {"what-if", path_});
    return run_plan(arguments, {.input = input});
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.write("exp.yaml", good_experiment);
};

TEST_F(WhatIf, OneShotTakesShortNamesAndTellsMemoryAndSpeed) {
  const ProcessResult result = run({"--set", "tp=4", "--set", "nodes=2", "--set", "hw=MI355X"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part :
       {"world size", "16", "TP", "memory (GiB)", "tokens/s/GPU", "step (s)", "MFU, other peak (%)", "MI355X"})
    EXPECT_THAT(result.out, HasSubstr(part));
  const json object = json::parse(run({"--set", "tp=4", "--set", "nodes=2", "--format", "json"}).out);
  EXPECT_EQ(object.at("after").at("degrees").at("tensor"), 4);
  EXPECT_EQ(object.at("after").at("launch").at("world_size"), 16);
  std::vector<std::string> names;
  for (const json& row : object.at("estimates")) {
    names.push_back(row.at("name"));
    EXPECT_GE(row.at("before").get<double>(), 0);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"memory of the fullest GPU", "step", "throughput", "MFU"}));
  for (const char* key : {"before", "changes", "new", "gone"}) EXPECT_TRUE(object.contains(key)) << key;
}

TEST_F(WhatIf, OneShotRefusesWhatIsNoSize) {
  const ProcessResult result = run({"--set", "tp=many"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--set tp=many: expected a whole number"));
  EXPECT_EQ(run({"--set", "gbs=33"}).exit_code, 1);
  EXPECT_EQ(run({"--set", "TP=4", "--set", "Nodes=2", "--set", "HW=MI355X"}).out,
            run({"--set", "tp=4", "--set", "nodes=2", "--set", "hw=MI355X"}).out)
      << "capital letters, as at the prompt";
}

TEST_F(WhatIf, RunsCommandsInOrder) {
  const ProcessResult result = run({"--command", "tp 4", "--command", "show keys"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("what-if> tp 4\n"));
  EXPECT_THAT(result.out, HasSubstr("tensor_model_parallel_size: 2 -> 4"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b[")));
}

TEST_F(WhatIf, AnIllegalEndIsExitCodeOne) {
  EXPECT_EQ(run({"--command", "gbs 33"}).exit_code, 1);
  EXPECT_EQ(run({"--command", "gbs 33", "--command", "undo"}).exit_code, 0);
}

TEST_F(WhatIf, AWrongLineStopsTheScriptAndIsNamed) {
  const std::string script = folder_.write("a.session", "# try a layout\ntp 4\nset tp nonsense\nwrite --yes\n");
  const ProcessResult result = run({"--script", script});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("a.session:3: tp takes a whole number"));
  EXPECT_EQ(read_file(path_), good_experiment);
  EXPECT_THAT(run({}, "tp 4\nfoo\n").err, HasSubstr("<stdin>:2: no command foo"));
}

TEST_F(WhatIf, ScriptsMayBeginWithAByteOrderMarkAndHaveCommentsAnywhere) {
  const std::string text =
      "\xEF\xBB\xBFtp 4 # four\r\n# a remark\nsave 'my state' # kept\nwrite \"a # b.yaml\" # here\n";
  const std::string script = folder_.write("a.session", text);
  const std::string folder = folder_.path().string();
  const ProcessResult piped = run_plan({"what-if", path_}, {.input = text, .folder = folder});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(piped.out, ::testing::StartsWith("what-if> tp 4\n"));
  EXPECT_TRUE(std::filesystem::remove(folder_.path() / "a # b.yaml"));
  const ProcessResult from_file = run_plan({"what-if", path_, "--script", script}, {.input = {}, .folder = folder});
  EXPECT_EQ(from_file.exit_code, 0) << from_file.err;
  EXPECT_EQ(from_file.out, piped.out);
  EXPECT_TRUE(std::filesystem::remove(folder_.path() / "a # b.yaml"));
}

TEST_F(WhatIf, ReadsCommandsFromAPipe) {
  const ProcessResult result = run({}, "tp 4\nshow\nquit\ntp 8\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("degrees TP 4"));
  EXPECT_THAT(result.out, Not(HasSubstr("tp 8")));
  EXPECT_EQ(run({"--script", "-"}, "tp 4\n").out, run({}, "tp 4\n").out);
}

TEST_F(WhatIf, WithoutAnyCommandItSaysWhatToDo) {
  const ProcessResult result = run({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no change given"));
  EXPECT_EQ(run({"--interactive"}).exit_code, 2);
}

TEST_F(WhatIf, JsonIsOneArray) {
  const ProcessResult result = run({"--format", "json"}, "tp 4\ntry tp=1,2\nplan\nshow memory\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json list = json::parse(result.out);
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].at("command"), "tp 4");
  EXPECT_EQ(list[0].at("numbers").at("tensor"), 4);
  EXPECT_FALSE(list[0].at("changes").empty());
  EXPECT_EQ(list[1].at("output").at("points").size(), 2U);
  EXPECT_TRUE(list[2].at("output").contains("plans"));
  EXPECT_TRUE(list[3].at("output").contains("memory"));
  const ProcessResult wrong = run({"--format", "json"}, "tp 4\nnonsense\n");
  EXPECT_EQ(wrong.exit_code, 2);
  const json with_error = json::parse(wrong.out);
  ASSERT_EQ(with_error.size(), 2U);
  EXPECT_EQ(with_error[1].at("ok"), false);
}

TEST_F(WhatIf, ATranscriptReplaysTheSession) {
  const std::string transcript = (folder_.path() / "t.session").string();
  const ProcessResult first =
      run({"--transcript", transcript, "--set", "mbs=1"}, "tp 4\n\n# a remark\nplan --top 2\napply 2\nshow\n");
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(read_file(transcript), HasSubstr("set mbs 1\ntp 4\nplan --top 2\napply 2\nshow\n"));
  const ProcessResult again = run({"--script", transcript});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(run({"--transcript", path_}, "tp 4\n").exit_code, 2);
  EXPECT_EQ(read_file(path_), good_experiment);
}

TEST_F(WhatIf, WritesForScripts) {
  EXPECT_EQ(run({"--command", "tp 4", "--command", "write --yes"}).exit_code, 0);
  EXPECT_THAT(read_file(path_), HasSubstr("tensor_model_parallel_size: 4"));
  EXPECT_EQ(read_file(path_ + ".orig"), good_experiment);
  EXPECT_EQ(run_plan({"check", path_}).exit_code, 0);
}

TEST_F(WhatIf, ARefusedWriteLeavesNothingBehind) {
  namespace fs = std::filesystem;
  fs::permissions(path_, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  const ProcessResult result = run({"--command", "tp 4", "--command", "write --yes"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("left alone: it is read-only"));
  EXPECT_EQ(read_file(path_), good_experiment);
  const fs::directory_iterator files(folder_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(WhatIf, AReadOnlyFolderLosesNothing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  namespace fs = std::filesystem;
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const ProcessResult result = run({"--command", "tp 4", "--command", "write --yes"});
  fs::permissions(folder_.path(), fs::perms::owner_all);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot write"));
  EXPECT_EQ(read_file(path_), good_experiment);
}

TEST_F(WhatIf, AnExperimentFromAPipeTakesCommandsFromFlags) {
  const ProcessResult result =
      run_plan({"what-if", "-", "--command", "tp 4", "--command", "write"}, {.input = std::string(good_experiment)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("there is no file to write into"));
}

TEST_F(WhatIf, AModuleThatIsNotThereIsNamed) {
  const ProcessResult result = run({"--module", "trainer", "--command", "show"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("it has pre_trainer"));
}

}  // namespace
}  // namespace primus_plan::test
