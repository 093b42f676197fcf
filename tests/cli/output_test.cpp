// Where output goes and what happens when it cannot go there.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class OutputOf : public ::testing::Test {
 protected:
  OutputOf() : path_(folder_.write("bad.yaml", bad_experiment)) {}

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(OutputOf, ClosedPipeEndsQuietly) {
  const ProcessResult killed = run_plan({"check", path_}, {.close_output_early = true});
  EXPECT_TRUE(killed.signal == SIGPIPE || killed.exit_code == 0) << killed.exit_code;
  EXPECT_EQ(killed.err, "");
  const ProcessResult refused = run_plan({"check", path_}, {.close_output_early = true, .ignore_pipe_signal = true});
  EXPECT_EQ(refused.exit_code, 0);
  EXPECT_EQ(refused.err, "");
}

TEST_F(OutputOf, FullDiskIsTrouble) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"check", path_}, {"resolve", path_}, {"--help"}, {"--version"}}) {
    const ProcessResult result = run_plan(arguments, {.stdout_file = "/dev/full"});
    EXPECT_EQ(result.exit_code, 2) << arguments[0];
    EXPECT_TRUE(contains(result.err, "cannot write standard output: No space left on device")) << result.err;
  }
  const ProcessResult result = run_plan({"check", path_, "--output", "/dev/full"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "cannot write /dev/full")) << result.err;
}

TEST_F(OutputOf, OutputFileReplacesStandardOutput) {
  const std::string target = folder_.write("report.txt", "old");
  const ProcessResult result = run_plan({"check", path_, "--output", target});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_file(target), run_plan({"check", path_}).out);
  struct stat status {};
  ASSERT_EQ(::stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U & ~0022U, 0644U & ~0022U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2) << "no temporary file is left";
}

TEST_F(OutputOf, TroubleLeavesTheOldFileAlone) {
  const std::string target = folder_.write("report.txt", "old");
  EXPECT_EQ(run_plan({"check", (folder_.path() / "none.yaml").string(), "--output", target}).exit_code, 2);
  EXPECT_EQ(read_file(target), "old");
  EXPECT_EQ(run_plan({"check", path_, "--output", (folder_.path() / "no" / "report.txt").string()}).exit_code, 2);
}

TEST_F(OutputOf, ColorsWhenAskedFor) {
  const auto colored = [this](const std::vector<std::string>& flags, const ProcessOptions& options) {
    std::vector<std::string> arguments = {"check", path_};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return contains(run_plan(arguments, options).out, "\x1b[");
  };
  EXPECT_FALSE(colored({}, {})) << "no terminal";
  EXPECT_TRUE(colored({"--color", "always"}, {}));
  EXPECT_TRUE(colored({"--color", "always"}, {.environment = {{"NO_COLOR", "1"}}})) << "the flag decides";
  EXPECT_FALSE(colored({"--color", "never"}, {.environment = {{"FORCE_COLOR", "1"}}}));
  EXPECT_TRUE(colored({}, {.environment = {{"FORCE_COLOR", "1"}}}));
  EXPECT_FALSE(colored({}, {.environment = {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}}));
  EXPECT_FALSE(colored({}, {.environment = {{"FORCE_COLOR", "0"}}}));
}

TEST_F(OutputOf, KeepsToAsciiWhereTheLocaleHasNoMore) {
  const std::string arrow = "\u2192";
  const auto out = [this](const ProcessOptions& options) { return run_plan({"check", "-v", path_}, options).out; };
  EXPECT_TRUE(contains(out({}), arrow));
  EXPECT_TRUE(contains(out({.environment = {{"LANG", "C.UTF-8"}}}), arrow));
  const std::string plain = out({.environment = {{"LANG", "C.UTF-8"}, {"LC_ALL", "C"}}});
  EXPECT_FALSE(contains(plain, arrow));
  EXPECT_TRUE(contains(plain, " -> ")) << plain;
  const ProcessOptions in_c{.environment = {{"LANG", "C"}}};
  EXPECT_EQ(run_plan({"check", path_, "--format", "json"}, in_c).out,
            run_plan({"check", path_, "--format", "json"}).out);
}

TEST_F(OutputOf, QuietPrintsFindingsOnly) {
  EXPECT_EQ(run_plan({"check", folder_.write("good.yaml", good_experiment), "-q"}).out, "");
  const std::string out = run_plan({"check", path_, "--quiet"}).out;
  EXPECT_TRUE(out.starts_with(path_ + ":15:26: error: ")) << out;
}

}  // namespace
}  // namespace primus_plan::test
