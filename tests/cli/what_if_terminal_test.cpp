// what-if at a terminal: a pseudo-terminal with keys typed into it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <sstream>
#include <thread>

#include "primus_plan/support/text.h"
#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/pty.h"

namespace primus_plan::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

constexpr const char* prompt = "what-if> ";
const std::string up = "\x1b[A";
const std::string interrupt = "\x03";
const std::string end_of_input = "\x04";

/// A session about an experiment of a folder of its own, at its first prompt.
class AtTerminal : public ::testing::Test {
 protected:
  Pty& start(const PtyOptions& options = {}, std::vector<std::string> more = {}) {
    path_ = folder_.write("exp.yaml", good_experiment);
    more.insert(more.begin(), {"what-if", "exp.yaml"});
    PtyOptions with_folder = options;
    with_folder.folder = folder_.path().string();
    pty_ = std::make_unique<Pty>(more, with_folder);
    greeting_ = pty_->wait_for(prompt);
    return *pty_;
  }

  TemporaryFolder folder_;
  std::string path_;
  std::string greeting_;
  std::unique_ptr<Pty> pty_;
};

/// The widest line, as a terminal counts.
std::size_t widest(const std::string& text) {
  std::size_t out = 0;
  std::istringstream lines(plain_text(text));
  for (std::string line; std::getline(lines, line);) out = std::max(out, display_width(line));
  return out;
}

TEST_F(AtTerminal, GreetsWithThePanelAndLeavesOnCtrlD) {
  Pty& pty = start();
  EXPECT_THAT(greeting_, HasSubstr("help lists"));
  EXPECT_THAT(plain_text(greeting_), HasSubstr("tokens/s/GPU"));
  pty.type(end_of_input);
  EXPECT_EQ(pty.exit_code(), 0);
}

TEST_F(AtTerminal, EachChangeRenewsThePanelInColour) {
  Pty& pty = start();
  const std::string out = pty.run("tp 4");
  EXPECT_THAT(out, HasSubstr("\x1b["));
  EXPECT_THAT(plain_text(out), HasSubstr("TP                 2 -> 4"));
  EXPECT_THAT(plain_text(out), HasSubstr("degrees TP 4"));
  EXPECT_THAT(plain_text(pty.run("quit")), Not(HasSubstr("error")));
  EXPECT_EQ(pty.exit_code(), 0);
}

TEST_F(AtTerminal, CompletesCommandsKeysAndValues) {
  Pty& pty = start();
  EXPECT_THAT(plain_text(pty.run("und\t")), HasSubstr("nothing to undo"));
  EXPECT_THAT(plain_text(pty.run("set recompute_gran\tfu\t")), HasSubstr("recompute"));
  EXPECT_THAT(plain_text(pty.run("show keys")), HasSubstr("recompute_granularity: null -> full"));
  EXPECT_THAT(plain_text(pty.run("explain global-batch-not-d\t")), HasSubstr("MG203"));
}

TEST_F(AtTerminal, ListsWhatAWordMayBecome) {
  Pty& pty = start();
  pty.type("show \t");
  const std::string list = pty.wait_for("stages");
  EXPECT_THAT(list, HasSubstr("findings"));
  EXPECT_THAT(list, HasSubstr("layout"));
}

TEST_F(AtTerminal, RemembersLines) {
  Pty& pty = start();
  pty.run("tp 4");
  pty.type(up);
  pty.wait_for("tp 4");
  EXPECT_THAT(pty.run(""), HasSubstr("it is so already"));
}

TEST_F(AtTerminal, CtrlCForgetsTheLineAndNothingElse) {
  Pty& pty = start();
  pty.run("tp 4");
  pty.type("set tp 8");
  pty.wait_for("set tp 8");
  pty.type(interrupt);
  pty.wait_for(prompt);
  EXPECT_THAT(plain_text(pty.run("show keys")), HasSubstr("tensor_model_parallel_size: 2 -> 4"));
  pty.type(interrupt);
  pty.wait_for(prompt);
  EXPECT_THAT(plain_text(pty.run("undo")), HasSubstr("4 -> 2"));
}

TEST_F(AtTerminal, CtrlCEndsASearchAndNothingElse) {
  Pty& pty = start();
  pty.run("tp 4");
  pty.type("try gbs=8:150000:8\r");
  pty.wait_for("points", 5s);  // "primus-plan: 512 of 18,750 points"
  pty.type(interrupt);
  EXPECT_THAT(pty.wait_for(prompt), HasSubstr("stopped; these are the first ones"));
  EXPECT_THAT(plain_text(pty.run("show keys")), HasSubstr("tensor_model_parallel_size: 2 -> 4"));
}

// By a shell with job control: a program that has none above it cannot be stopped from its terminal.
TEST_F(AtTerminal, CtrlZStopsAndTheLineIsThereAgain) {
  folder_.write("exp.yaml", good_experiment);
  Pty pty({"--norc", "--noprofile", "-i"},
          {.environment = {{"PS1", "shell> "}}, .folder = folder_.path().string(), .program = "/bin/bash"});
  pty.wait_for("shell> ");
  pty.type("'" + binary().string() + "' what-if exp.yaml\r");
  pty.wait_for(prompt);
  pty.type("tp 4");
  pty.wait_for("tp 4");
  pty.type("\x1a");
  EXPECT_THAT(pty.wait_for("shell> "), HasSubstr("Stopped"));
  pty.type("echo $((6 * 7))\r");
  EXPECT_THAT(pty.wait_for("42"), HasSubstr("echo $((6 * 7))")) << "the shell's terminal is as it was";
  pty.wait_for("shell> ");
  pty.type("fg\r");
  EXPECT_THAT(pty.wait_for("tp 4"), HasSubstr(prompt));
  EXPECT_THAT(plain_text(pty.run("")), HasSubstr("2 -> 4"));
  pty.type(interrupt);  // still a key, not a signal
  pty.wait_for(prompt);
  pty.type(end_of_input);
  pty.wait_for("shell> ");
  pty.type("echo ended $?\r");
  EXPECT_THAT(pty.wait_for("ended 0"), HasSubstr("ended 0"));
}

TEST_F(AtTerminal, WritesAfterAYesAndKeepsTheTextBefore) {
  Pty& pty = start();
  pty.run("tp 4");
  pty.type("write\r");
  const std::string question = pty.wait_for("[y/N] ");
  EXPECT_THAT(question, HasSubstr("tensor_model_parallel_size: 4"));
  pty.type("\r");
  EXPECT_THAT(pty.wait_for(prompt), HasSubstr("nothing was written"));
  EXPECT_EQ(read_file(path_), good_experiment);
  pty.type("write\r");
  pty.wait_for("[y/N] ");
  pty.type(interrupt);
  pty.wait_for(prompt);
  EXPECT_EQ(read_file(path_), good_experiment);
  pty.type("write\r");
  pty.wait_for("[y/N] ");
  pty.type("y\r");
  EXPECT_THAT(pty.wait_for(prompt), HasSubstr("written into"));
  EXPECT_THAT(read_file(path_), HasSubstr("tensor_model_parallel_size: 4"));
  EXPECT_EQ(read_file(path_ + ".orig"), good_experiment);
}

TEST_F(AtTerminal, LeavesAFileAloneThatChangedMeanwhile) {
  Pty& pty = start();
  pty.run("tp 4");
  const std::string theirs = std::string(good_experiment) + "      lr: 1.0e-4\n";
  folder_.write("exp.yaml", theirs);
  pty.type("write\r");
  pty.wait_for("[y/N] ");
  pty.type("y\r");
  EXPECT_THAT(pty.wait_for(prompt), HasSubstr("changed since"));
  EXPECT_EQ(read_file(path_), theirs);
  EXPECT_THAT(plain_text(pty.run("show keys")), HasSubstr("2 -> 4"));
}

TEST_F(AtTerminal, StaysInsideSixtyColumns) {
  Pty& pty = start({.columns = 60});
  EXPECT_LE(widest(greeting_), 60U) << greeting_;
  for (const char* line : {"help", "help write", "show", "tp 4", "gbs 33", "undo", "show memory", "show stages", "plan",
                           "try tp=1,2,4", "show keys", "show layout", "show schedule", "goal fits"}) {
    const std::string out = pty.run(line);
    EXPECT_LE(widest(out), 60U) << line << ":\n" << plain_text(out);
  }
}

TEST_F(AtTerminal, FollowsTheWindow) {
  Pty& pty = start({.columns = 120});
  pty.resize(60, 20);
  std::this_thread::sleep_for(200ms);
  EXPECT_LE(widest(pty.run("help")), 60U);
  pty.resize(120, 20);
  std::this_thread::sleep_for(200ms);
  EXPECT_GT(widest(pty.run("help")), 60U);
}

TEST_F(AtTerminal, AWindowThatChangesAndAStopKeepTheLine) {
  Pty& pty = start({.columns = 120});
  pty.type("tp 4\xC3\xA9");  // a letter of two bytes, taken back below as one
  pty.wait_for("4\xC3\xA9");
  for (const int columns : {60, 90, 61, 100}) pty.resize(columns, 20);
  pty.signal(SIGSTOP);
  std::this_thread::sleep_for(100ms);
  pty.signal(SIGCONT);
  pty.wait_for(std::string(prompt) + "tp 4\xC3\xA9");
  EXPECT_THAT(plain_text(pty.run("\x7F")), HasSubstr("2 -> 4"));
}

TEST_F(AtTerminal, LeavesOnCtrlDAfterTheWindowChanged) {
  Pty& pty = start({.columns = 120});
  pty.resize(60, 20);
  std::this_thread::sleep_for(200ms);
  pty.type(end_of_input);
  EXPECT_EQ(pty.exit_code(), 0);
}

TEST_F(AtTerminal, ADumbTerminalWillDo) {
  Pty& pty = start({.term = "dumb"});
  const std::string out = pty.run("tp 4");
  EXPECT_THAT(out, HasSubstr("2 -> 4"));
  EXPECT_THAT(pty.seen(), Not(HasSubstr("\x1b[")));
  pty.type(end_of_input);
  EXPECT_EQ(pty.exit_code(), 0);
}

TEST_F(AtTerminal, WithoutUtf8ItKeepsToAscii) {
  Pty& pty = start({.environment = {{"LC_ALL", "C"}}});
  pty.run("tp 4");
  pty.run("show memory");
  pty.run("plan");
  for (const char c : pty.seen()) ASSERT_GE(static_cast<signed char>(c), 0);
  EXPECT_THAT(plain_text(pty.seen()), HasSubstr("####"));
}

TEST_F(AtTerminal, HonoursNoColorAndTheFlag) {
  Pty& plain = start({.environment = {{"NO_COLOR", "1"}}});
  EXPECT_THAT(plain.run("tp 4"), Not(HasSubstr("\x1b[1m")));
  Pty& coloured = start({.environment = {{"NO_COLOR", "1"}}}, {"--color", "always"});
  EXPECT_THAT(coloured.run("tp 4"), HasSubstr("\x1b[1m"));
}

TEST_F(AtTerminal, WrongInputIsToldAndTheSessionGoesOn) {
  Pty& pty = start();
  EXPECT_THAT(plain_text(pty.run("wirte")), HasSubstr("did you mean write?"));
  EXPECT_THAT(plain_text(pty.run("set tp many")), HasSubstr("whole number"));
  pty.run("\xff\xfe");
  EXPECT_THAT(plain_text(pty.run("tp 4")), HasSubstr("2 -> 4"));
}

TEST_F(AtTerminal, CommandsOfTheCommandLineComeFirstWithInteractive) {
  Pty& pty = start({}, {"--set", "tp=4", "--interactive"});
  EXPECT_THAT(plain_text(pty.wait_for(prompt)), HasSubstr("degrees TP 4"));
  EXPECT_THAT(plain_text(pty.run("undo")), HasSubstr("4 -> 2"));
}

}  // namespace
}  // namespace primus_plan::test
