// Input and flags that nobody means: what is said of them, and that the program always comes back.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// What `check` says of a snippet.
ProcessResult check(const std::string& snippet, std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(), {"check", "-"});
  return run_plan(flags, {.input = snippet});
}

std::vector<std::string> rules_of(const ProcessResult& result) {
  std::vector<std::string> ids;
  const nlohmann::json report = nlohmann::json::parse(result.out);
  for (const auto& file : report.at("files")) {
    for (const auto& finding : file.at("findings")) ids.push_back(finding.at("rule").get<std::string>());
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Hostile, AValueThatCannotBeReadHasOneFinding) {
  const std::vector<std::string> json{"--world-size", "16", "--format", "json"};
  for (const char* value : {"abc", "[1, 2]", "2024-01-01", "null", "1e400", ".nan"}) {
    const std::string text = value;
    EXPECT_EQ(rules_of(check("tensor_model_parallel_size: " + text + "\n", json)), Ids{"MG801"}) << value;
    EXPECT_EQ(rules_of(check("context_parallel_size: " + text + "\n", json)), Ids{"MG801"}) << value;
  }
  for (const char* value : {"abc", "[1, 2]", "2024-01-01"}) {
    const std::string text = value;
    EXPECT_EQ(rules_of(check("tensor_model_parallel_size: 2\nnum_layers: " + text + "\n", json)), Ids{"MG801"});
    EXPECT_EQ(rules_of(check("tensor_model_parallel_size: 2\nglobal_batch_size: " + text + "\n", json)), Ids{"MG801"});
  }
  EXPECT_EQ(rules_of(check("tensor_model_parallel_size: 2\nnum_layers: null\n", json)), Ids{"MG327"});
}

TEST(Hostile, NumbersBeyond64BitsAreNotCalledAnotherType) {
  const std::string huge(40, '9');
  for (const std::string& snippet :
       {"global_batch_size: " + huge + "\ntensor_model_parallel_size: 2\n",
        "parallelism:\n  tensor_parallel_degree: " + huge + "\n", "ici_tensor_parallelism: " + huge + "\n"}) {
    const ProcessResult result = check(snippet, {"--world-size", "16"});
    EXPECT_TRUE(contains(result.out, "64 bits")) << result.out;
    EXPECT_FALSE(contains(result.out, "not an integer")) << result.out;
  }
}

TEST(Hostile, HugeNumbersNeitherHangNorOverflow) {
  for (const char* number : {"9223372036854775807", "-9223372036854775808", "4611686018427387904", "1000000000000"}) {
    for (const char* key : {"tensor_model_parallel_size", "pipeline_model_parallel_size", "global_batch_size",
                            "num_layers", "num_attention_heads", "seq_length", "ici_tensor_parallelism"}) {
      const std::string snippet = std::string(key) + ": " + number + "\n";
      const ProcessResult result = check("pipeline_model_parallel_size: 2\n" + snippet, {"--backend", "megatron"});
      EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << key << number << result.err;
      EXPECT_FALSE(contains(result.out, "world size -")) << result.out;
      const ProcessResult layout = run_plan({"layout", "-"}, {.input = snippet});
      EXPECT_TRUE(layout.exit_code == 0 || layout.exit_code == 1) << key << number << layout.err;
    }
  }
}

TEST(Hostile, RanksThatCannotBePlacedAreNoLayout) {
  for (const char* snippet :
       {"parallelism:\n  expert_parallel_degree: 8\n", "parallelism:\n  expert_tensor_parallel_degree: 1000003\n",
        "parallelism:\n  expert_parallel_degree: 1000000000000\n",
        "tensor_model_parallel_size: 2\nexpert_model_parallel_size: 5\n", "tensor_model_parallel_size: abc\n"}) {
    const ProcessResult result = run_plan({"layout", "-", "--world-size", "12"}, {.input = snippet});
    EXPECT_EQ(result.exit_code, 1) << snippet << result.out << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, "error: ")) << result.err;
  }
}

TEST(Hostile, DegreesThatABackendCannotHaveAreNotDrawnAsOthers) {
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--tp", "4", "--etp", "2", "--world-size", "8", "--backend", "maxtext"},
        {"--tp", "2", "--set", "tensor_model_parallel_size=4"}}) {
    std::vector<std::string> arguments = flags;
    arguments.insert(arguments.begin(), "layout");
    const ProcessResult result = run_plan(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_TRUE(contains(result.err, "cannot have these degrees")) << result.err;
  }
  for (const char* backend : {"megatron", "torchtitan", "maxtext"}) {
    EXPECT_EQ(run_plan({"layout", "--tp", "2", "--pp", "2", "--backend", backend, "--world-size", "8"}).exit_code, 0);
  }
  EXPECT_EQ(run_plan({"layout", "--cp", "3", "--backend", "maxtext", "--world-size", "6"}).exit_code, 0);
}

TEST(Hostile, AnExperimentWithoutModulesIsNoPass) {
  const ProcessResult result =
      check("work_group: a\nuser_name: b\nexp_name: c\nworkspace: ./o\nmodules: {}\n", {"--format", "json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(rules_of(result), Ids{"CF202"});
}

TEST(Hostile, LongValuesAreShortened) {
  const ProcessResult result = check("tensor_model_parallel_size: " + std::string(100000, 'x') + "\n");
  EXPECT_LT(result.out.size(), 5000U);
  EXPECT_TRUE(contains(result.out, "MG801")) << result.out;
}

TEST(Hostile, SeveralDocumentsAreOneJsonText) {
  const std::string two = "tensor_model_parallel_size: 2\n---\ntensor_model_parallel_size: 4\n";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"layout", "-"}, {"resolve", "-"}, {"what-if", "-", "--set", "micro_batch_size=1"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--format", "json"});
    const ProcessResult result = run_plan(arguments, {.input = two});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out).size(), 2U);
  }
}

TEST(Hostile, OnesAreSingular) {
  EXPECT_TRUE(contains(run_plan({"layout"}).out, "1 rank on nodes"));
  const ProcessResult result =
      run_plan({"what-if", "-", "--set", "global_batch_size=-1"}, {.input = "tensor_model_parallel_size: 2\n"});
  EXPECT_TRUE(contains(result.out, "ok -> 1 error\n")) << result.out;
}

TEST(Hostile, ThePlaceOfAnOutcomeIsAddedToWholeSentences) {
  const ProcessResult result = check(
      "work_group: a\nuser_name: b\nexp_name: c\nworkspace: ./o\nmodules:\n  pre_trainer:\n"
      "    framework: megatron\n    config: pre_trainer.yaml\n");
  EXPECT_TRUE(contains(result.out, "Failed to find key(model) (primus/")) << result.out;
}

TEST(Flags, SizesAreRefusedInOneVoice) {
  for (const char* value : {"0", "-1", "abc", "1e18", "8.0", "", "1048577", "99999999999999999999"}) {
    for (const char* flag : {"--world-size", "--nodes", "--gpus-per-node"}) {
      const ProcessResult result = run_plan({"check", "-", flag, value});
      EXPECT_EQ(result.exit_code, 2) << flag << value;
      EXPECT_TRUE(contains(result.err, "must be a whole number from 1 to 1048576, not '")) << result.err;
    }
  }
  EXPECT_TRUE(contains(run_plan({"layout", "--rank", "-1"}).err, "must be a whole number from 0 to "));
}

TEST(Flags, OnesThatCountOnceAreGivenOnce) {
  const ProcessResult result = run_plan({"check", "-", "--nodes", "1", "--nodes", "2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "--nodes is given more than once")) << result.err;
}

TEST(Flags, ContradictionsAreRefused) {
  const std::string snippet = "tensor_model_parallel_size: 2\n";
  EXPECT_EQ(check(snippet, {"--nodes", "2", "--world-size", "3"}).exit_code, 2);
  EXPECT_EQ(check(snippet, {"--nodes", "2", "--world-size", "8"}).exit_code, 0);
  const ProcessResult layout = run_plan({"layout", "-", "--tp", "8"}, {.input = snippet});
  EXPECT_EQ(layout.exit_code, 2);
  EXPECT_TRUE(contains(layout.err, "--set")) << layout.err;
  const ProcessResult nothing = run_plan({"what-if", "-"}, {.input = snippet});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_TRUE(contains(nothing.err, "no change given")) << nothing.err;
  for (const char* set : {".=1", "a..b=1", "a.=1"}) {
    const ProcessResult gap = check(snippet, {"--set", set});
    EXPECT_EQ(gap.exit_code, 2) << set;
    EXPECT_TRUE(contains(gap.err, "a part of the key is empty")) << gap.err;
  }
}

TEST(Flags, AReportNeverReplacesWhatItReads) {
  const TemporaryFolder folder;
  const std::string path = folder.write("exp.yaml", good_experiment);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"check", path}, {"check", folder.path().string()}, {"resolve", path}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--output", path});
    EXPECT_EQ(run_plan(arguments).exit_code, 2) << command[0];
    EXPECT_EQ(read_file(path), good_experiment);
  }
  EXPECT_EQ(run_plan({"check", path, "--output", ""}).exit_code, 2);
}

TEST(Flags, PipesOfTheShellAreRead) {
  const ProcessResult result = run_plan({"check", "/dev/stdin"}, {.input = "tensor_model_parallel_size: 2\n"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Flags, HelpOfACommand) {
  EXPECT_EQ(run_plan({"help", "check"}).out, run_plan({"check", "--help"}).out);
  EXPECT_EQ(run_plan({"help", "chekc"}).exit_code, 2);
  EXPECT_FALSE(contains(run_plan({"check", "--bogus"}).err, "did you mean"));
}

TEST(Why, KeysWithDotsAndKeysInSections) {
  EXPECT_EQ(run_plan({"why", "-", "a.b"}, {.input = "a.b: 2\ntensor_model_parallel_size: 2\n"}).exit_code, 0);
  const ProcessResult inner =
      run_plan({"why", "-", "tensor_parallel_degree"}, {.input = "parallelism:\n  tensor_parallel_degree: 2\n"});
  EXPECT_EQ(inner.exit_code, 2);
  EXPECT_TRUE(contains(inner.err, "did you mean parallelism.tensor_parallel_degree?")) << inner.err;
}

}  // namespace
}  // namespace primus_plan::test
