// What the program says when it is called wrongly, and to nobody in particular.

#include <gtest/gtest.h>

#include "support/process.h"

namespace primus_plan::test {
namespace {

using ::testing::Test;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void expect_trouble(const ProcessResult& result, std::string_view said) {
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("primus-plan: ")) << result.err;
  EXPECT_TRUE(contains(result.err, said)) << result.err;
}

TEST(Usage, HelpAndVersionGoToStandardOutput) {
  for (const char* flag : {"--help", "-h", "help", "--version"}) {
    const ProcessResult result = run_plan({flag});
    EXPECT_EQ(result.exit_code, 0) << flag;
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(contains(result.out, "primus-plan")) << flag;
  }
  EXPECT_TRUE(contains(run_plan({"--version"}).out, "megatron"));
}

TEST(Usage, EveryCommandHasHelp) {
  const std::string overview = run_plan({"--help"}).out;
  for (const char* command : {"check", "resolve", "why"}) {
    EXPECT_TRUE(contains(overview, command));
    const ProcessResult result = run_plan({command, "--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_TRUE(contains(result.out, "--primus-root")) << result.out;
    EXPECT_EQ(result.err, "");
  }
}

TEST(Usage, NoCommand) { expect_trouble(run_plan({}), "no command"); }

TEST(Usage, UnknownCommandNamesTheNearest) {
  expect_trouble(run_plan({"chekc", "exp.yaml"}), "unknown command chekc; did you mean check?");
}

TEST(Usage, AFileInPlaceOfACommand) {
  expect_trouble(run_plan({"/dev/null"}), "did you mean primus-plan check /dev/null?");
}

TEST(Usage, UnknownFlagNamesTheNearest) {
  expect_trouble(run_plan({"check", "/dev/null", "--wrold-size", "8"}),
                 "unknown flag --wrold-size; did you mean --world-size?");
  expect_trouble(run_plan({"check", "/dev/null", "--wrold-size=8"}),
                 "unknown flag --wrold-size; did you mean --world-size?");
  expect_trouble(run_plan({"resolve", "/dev/null", "-Z"}), "unknown flag -Z");
  // What another command calls otherwise.
  expect_trouble(run_plan({"plan", "/dev/null", "--world-size", "8"}),
                 "unknown flag --world-size; did you mean --gpus?");
  expect_trouble(run_plan({"check", "/dev/null", "--gpus", "8"}), "unknown flag --gpus; did you mean --world-size?");
  expect_trouble(run_plan({"check", "/dev/null", "--gpu", "MI300X"}), "unknown flag --gpu; did you mean --hardware?");
}

TEST(Usage, WrongValues) {
  expect_trouble(run_plan({"check", "/dev/null", "--world-size", "0"}), "--world-size");
  expect_trouble(run_plan({"check", "/dev/null", "--world-size", "-8"}), "--world-size");
  expect_trouble(run_plan({"check", "/dev/null", "--nodes", "many"}), "--nodes");
  expect_trouble(run_plan({"check", "/dev/null", "--format", "xml"}), "--format");
  expect_trouble(run_plan({"check", "/dev/null", "--color", "sometimes"}), "--color");
  expect_trouble(run_plan({"check", "/dev/null", "--set", "novalue"}), "KEY=VALUE");
  expect_trouble(run_plan({"check", "/dev/null", "--env", "=1"}), "NAME=VALUE");
  expect_trouble(run_plan({"check", "/dev/null", "--jobs", "0"}), "--jobs");
}

TEST(Usage, MissingFileArgument) {
  expect_trouble(run_plan({"check"}), "FILE");
  expect_trouble(run_plan({"why", "/dev/null"}), "KEY");
}

TEST(Usage, MessagesCannotDriveTheTerminal) {
  const ProcessResult result = run_plan({"check", "\x1b[31mred.yaml"});
  expect_trouble(result, "\\x1b[31mred.yaml");
  EXPECT_FALSE(contains(result.err, "\x1b"));
}

}  // namespace
}  // namespace primus_plan::test
