// What people get wrong at first: each message says what is wrong and the way out.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string with(std::string_view from, std::string_view to) {
  std::string text(good_experiment);
  return text.replace(text.find(from), from.size(), to);
}

/// A folder with an experiment, exp.yaml, that the commands are run in.
class Mistakes : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("exp.yaml", good_experiment);
    folder_.write("runs/a.yaml", good_experiment);
  }
  void expect(const std::vector<std::string>& arguments, int exit_code, std::string_view part) const {
    const ProcessResult result = run_plan(arguments, {.folder = folder_.path().string()});
    std::string line;
    for (const std::string& argument : arguments) line += " " + argument;
    EXPECT_EQ(result.exit_code, exit_code) << line;
    EXPECT_TRUE(contains(result.out + result.err, part)) << line << ":\n" << result.out << result.err;
  }

  TemporaryFolder folder_;
};

TEST_F(Mistakes, PathsThatAreNotThere) {
  for (const char* command : {"check", "estimate", "resolve", "what-if", "report"}) {
    expect({command, "exp.yml"}, 2, "did you mean exp.yaml?");
  }
  expect({"check", "runs/b.yaml"}, 2, "did you mean runs/a.yaml?");
  expect({"check", "runs/*.yaml"}, 2, "quotes kept it from the shell");
  expect({"check", "elsewhere/x.yaml"}, 2, "elsewhere/x.yaml: no such file or folder\n");
}

TEST_F(Mistakes, AFolderForOneExperiment) {
  for (const char* command : {"estimate", "layout", "pipeline", "plan", "report", "resolve", "advise", "what-if"}) {
    expect({command, "runs"}, 2, "runs is a folder: give one experiment");
  }
  expect({"why", "runs", "lr"}, 2, "runs is a folder: give one experiment");
}

TEST_F(Mistakes, ACleanFolderIsSaidToBe) {
  expect({"check", "runs"}, 0, "1 file: ok\n");
  folder_.write("silent/a.yaml", silent_experiment);
  expect({"check", "silent", "--statistics"}, 0, "1 file: ok\n");
}

TEST_F(Mistakes, HelpSaysWhatIsGivenWhere) {
  expect({"check", "--help"}, 0, "\n  FILE ...  ");
  expect({"estimate", "--help"}, 0, "--format WORD:{text,json}");
  expect({"plan", "--help"}, 0, "--time-limit SECONDS  ");
}

TEST_F(Mistakes, ABlankForAnEqualsSign) {
  expect({"check", "exp.yaml", "--set", "micro_batch_size", "4"}, 2, "--set micro_batch_size: expected KEY=VALUE");
  expect({"what-if", "exp.yaml", "--set", "tp", "4"}, 2, "--set tp: expected KEY=VALUE");
}

/// Wrong usage that a rule speaks of says what the rule's page shows, and which rule that is.
TEST_F(Mistakes, WrongUsageNamesItsRule) {
  expect({"check", "exp.yaml", "--set", "=4"}, 2, "--set =4 has no key before the = [CF212 bad-set]\n");
  expect({"explain", "CF212"}, 0, "--set =4 has no key before the =\n");
  expect({"check", "exp.yaml", "--set", "a..b=4"}, 2, "--set a..b=4: a part of the key is empty [CF212 bad-set]\n");
  const std::string size = "must be a whole number from 1 to 1048576, not '0'";
  expect({"check", "exp.yaml", "--world-size", "0"}, 2, "--world-size " + size + " [CF216 bad-launch-size]\n");
  expect({"explain", "CF216"}, 0, "--world-size " + size + "\n");
  expect({"check", "exp.yaml", "--env", "WORLD_SIZE=0"}, 2, "WORLD_SIZE " + size + " [CF216 bad-launch-size]\n");
  for (const char* rule : {"CF212", "CF216"}) expect({"explain", rule}, 0, "is wrong usage");
}

TEST_F(Mistakes, OfTheSecondRunOfADiff) {
  expect({"diff", "exp.yaml", "--set-b", "tp=1"}, 2, "--set-b tp=1: tp is a short name");
  expect({"diff", "exp.yaml", "--set-b", "world=8"}, 2, "--world-size-b does");
  expect({"diff", "exp.yaml", "--set-b", "lr"}, 2, "--set-b lr: expected KEY=VALUE");
  expect({"diff", "exp.yaml", "--set-b", "=1"}, 2, "--set-b =1 has no key before the =");
  expect({"diff", "exp.yaml", "--set-b", "lr=[1"}, 1, "--set-b");
}

TEST_F(Mistakes, ValuesThatAFlagDoesNotTake) {
  for (const char* number : {"08", "010", "+8", "8.0", "", "many", "99999999999999999999"}) {
    expect({"check", "exp.yaml", "--world-size", number}, 2,
           std::string("--world-size must be a whole number from 1 to 1048576, not '") + number + "'");
  }
  expect({"plan", "exp.yaml", "--time-limit", "0"}, 2,
         "--time-limit must be a number of seconds from 0.001 to 1000000, not '0'");
  expect({"report", "exp.yaml", "--time-limit", "soon"}, 2,
         "--time-limit must be a number of seconds from 0.001 to 1000000, not 'soon'");
  expect({"pipeline", "exp.yaml", "--from", "-1"}, 2, "--from must be a number of milliseconds from 0 to");
  expect({"estimate", "exp.yaml", "--format", "xml"}, 2, "--format must be one of text, json, not 'xml'");
  expect({"report", "exp.yaml", "--format", "text"}, 2, "--format must be html, not 'text'");
  expect({"check", "exp.yaml", "--strict=maybe"}, 2, "--strict takes no value: leave out =maybe");
  expect({"check", "exp.yaml", "--world-size"}, 2, "--world-size needs a value (see primus-plan check --help)");
  expect({"check", "exp.yaml", "-o", ""}, 2, "--output needs a file name");
  expect({"check", "exp.yaml", "--nodes", "1", "--nodes", "2"}, 2, "--nodes is given more than once");
  expect({"plan", "exp.yaml", "--gpus", "8", "--nodes", "1"}, 2, "exclude each other");
}

TEST_F(Mistakes, TheStartOfRulesForARule) {
  expect({"explain", "MG2"}, 2, "primus-plan rules MG2 lists the rules whose ids begin so");
  expect({"explain", "ln"}, 2, "primus-plan rules ln lists the rules whose ids begin so");
}

TEST_F(Mistakes, SomethingIsMissing) {
  expect({"why", "exp.yaml"}, 2, "KEY is required (see primus-plan why --help)");
  expect({"config"}, 2, "ACTION is required (see primus-plan config --help)");
}

TEST_F(Mistakes, ShortNamesAndPartsOfNames) {
  expect({"why", "exp.yaml", "tp"}, 0, "tensor_model_parallel_size = 2");
  expect({"why", "exp.yaml", "GBS"}, 0, "global_batch_size = 32");
  expect({"why", "exp.yaml", "tensor_parallel"}, 2, "did you mean");
  expect({"why", "exp.yaml", "tensor_parallel"}, 2, "tensor_model_parallel_size");
  expect({"explain", "tensor"}, 2, "primus-plan keys '*tensor*'");
  expect({"keys", "*tensor*"}, 0, "tensor_model_parallel_size");
  expect({"init", "--model", "llama3", "--gpus", "8"}, 2, "did you mean llama3");
  expect({"plan", "--model", "llama3", "--gpus", "8"}, 2, "did you mean llama3");
}

TEST_F(Mistakes, InAFile) {
  folder_.write("bad.yaml", with("user_name: user", "user_name: ${TEAM_USER}"));
  expect({"check", "bad.yaml"}, 1, "export TEAM_USER, or give --env TEAM_USER=VALUE");
  folder_.write("bad.yaml", with("framework: megatron", "framework: megatron-lm"));
  expect({"check", "bad.yaml"}, 1, "did you mean framework: megatron?");
  folder_.write("bad.yaml", with("overrides:", "overides:"));
  expect({"check", "bad.yaml"}, 0, "did you mean overrides?");
  folder_.write("bad.yaml", with("# primus-plan:", "# primus-plan"));
  expect({"check", "bad.yaml"}, 0, "a colon is missing");
  folder_.write("exp.yaml.gz", "\x1F\x8B\x08");
  expect({"check", "exp.yaml.gz"}, 1, "the file is compressed by gzip; unpack it first");
}

}  // namespace
}  // namespace primus_plan::test
