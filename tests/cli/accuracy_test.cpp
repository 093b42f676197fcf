// accuracy, why of numbers, and estimate --measured, as a user runs them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(AccuracyCommand, ComparesThePublishedMeasurements) {
  const ProcessResult text = run_plan({"accuracy"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("torch max allocated"), HasSubstr("mixture of experts"), HasSubstr("Spearman"),
                              HasSubstr("MI355X")));
  const json out = json::parse(run_plan({"accuracy", "--format", "json"}).out);
  EXPECT_GT(out.at("comparisons").size(), 400U);
  EXPECT_THAT(run_plan({"accuracy", "-v"}).out, HasSubstr("outside"));
}

TEST(AccuracyCommand, ReadsATableOfOnesOwn) {
  const TemporaryFolder folder;
  const std::string csv =
      "id,gpu,gpus,framework,model,layers,hidden,ffn,heads,kv_heads,head_dim,vocab,swiglu,tp,pp,mbs,gbs,seq,precision,"
      "complete,iter_s\n7,H100,8,Megatron-LM,ours,32,4096,14336,32,8,128,128256,1,1,1,1,128,8192,BF16,1,14\n";
  const ProcessResult result = run_plan({"accuracy", folder.write("ours.csv", csv), "-v"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("1 row, 1 figure compared"), HasSubstr("ours on 8 H100")));
  EXPECT_EQ(run_plan({"accuracy", "-"}, {.input = csv}).exit_code, 0);
}

/// The columns that docs/accuracy.md calls the least.
TEST(AccuracyCommand, TheLeastColumnsAreEnough) {
  const TemporaryFolder folder;
  const std::string csv =
      "gpu,gpus,framework,model,layers,hidden,ffn,heads,vocab,tp,pp,mbs,gbs,seq,precision,iter_s,mem_gib\n"
      "H100,8,Megatron-LM,ours,32,4096,16384,32,50304,8,1,1,128,4096,BF16,9,40\n";
  const ProcessResult result = run_plan({"accuracy", folder.write("ours.csv", csv)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 row, 2 figures compared"));
}

TEST(AccuracyCommand, MalformedTablesAreTrouble) {
  const TemporaryFolder folder;
  for (const char* text : {"", "id\n", "a,b,c\n1,2,3\n", "\"", "id,gpu\n\x01\x02", "gpus\n1e999\n"}) {
    const ProcessResult result = run_plan({"accuracy", folder.write("bad.csv", text)});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_THAT(result.err, HasSubstr("is no table of measurements")) << text;
  }
  EXPECT_EQ(run_plan({"accuracy", folder.path().string()}).exit_code, 2);
  EXPECT_EQ(run_plan({"accuracy", "/nowhere.csv"}).exit_code, 2);
}

TEST(WhyCommand, UnfoldsNumbersWithKeysAndLines) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult activations = run_plan({"why", file, "memory.activations"});
  EXPECT_EQ(activations.exit_code, 0) << activations.err;
  EXPECT_THAT(activations.out, AllOf(HasSubstr("memory.activations = "), HasSubstr("  = micro-batch x tokens"),
                                     HasSubstr("micro_batch_size, " + file + ":14:")));
  for (const char* name :
       {"memory", "memory.weights", "memory.logits", "parameters", "parameters.attention", "flops"}) {
    const ProcessResult result = run_plan({"why", file, name});
    EXPECT_EQ(result.exit_code, 0) << name << result.err;
    EXPECT_THAT(result.out, HasSubstr(std::string(name).substr(0, 6))) << name;
  }
  for (const char* name : {"step", "step.matrix_products", "step.optimizer"}) {
    EXPECT_EQ(run_plan({"why", file, name, "--hardware", "MI300X"}).exit_code, 0) << name;
  }
}

TEST(WhyCommand, NamesTheNumbersThatThereAre) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult slip = run_plan({"why", file, "memory.activation"});
  EXPECT_EQ(slip.exit_code, 2);
  EXPECT_THAT(slip.err, HasSubstr("memory.activations"));
  EXPECT_THAT(run_plan({"why", file, "step"}).err, HasSubstr("--hardware"));
  // No pipeline: no bubble.
  EXPECT_EQ(run_plan({"why", file, "step.bubble", "--hardware", "MI300X"}).exit_code, 2);
}

class CalibrationCommand : public testing::Test {
 protected:
  json estimate() const {
    return json::parse(run_plan({"estimate", file, "--hardware", "MI300X", "--format", "json"}).out);
  }
  static double tokens(const json& out) { return out.at("step").at("tokens_per_second_per_gpu").get<double>(); }
  static double memory(const json& out) {
    return out.at("memory").at("device_bytes").at("expected").get<double>() / (1024.0 * 1024 * 1024);
  }
  ProcessResult measure(const std::vector<std::string>& values, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"estimate", file, "--hardware", "MI300X"};
    for (const std::string& value : values) arguments.insert(arguments.end(), {"--measured", value});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_plan(arguments);
  }

  /// A measurement that the estimates can be fitted to.
  std::string close_memory() const { return "memory_gib=" + std::to_string(memory(estimate()) + 1); }

  TemporaryFolder folder;
  std::string file = folder.write("exp/exp.yaml", good_experiment);
  std::filesystem::path settings = folder.path() / "exp" / ".primus-plan.yaml";
};

TEST_F(CalibrationCommand, LaterRunsSpeakOfWhatWasMeasured) {
  const json before = estimate();
  EXPECT_TRUE(before.at("calibration").is_null());
  const double measured_tokens = 0.9 * tokens(before);
  const double measured_memory = memory(before) + 5;
  const ProcessResult first = measure({"tokens_per_second_per_gpu=" + std::to_string(measured_tokens)});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("calibrated"));
  EXPECT_EQ(measure({"memory_gib=" + std::to_string(measured_memory)}).exit_code, 0);
  const json after = estimate();
  EXPECT_NEAR(tokens(after) / measured_tokens, 1, 0.001);
  EXPECT_NEAR(memory(after), measured_memory, 0.01);
  EXPECT_THAT(after.at("calibration").get<std::string>(), HasSubstr("exp.yaml (pre_trainer) on 8 GPUs MI300X"));
  // The file stays one that every command reads, and says nothing of another part.
  EXPECT_EQ(run_plan({"check", file}).exit_code, 0);
  EXPECT_THAT(run_plan({"estimate", file, "--hardware", "H100"}).out, Not(HasSubstr("calibrated")));
}

TEST_F(CalibrationCommand, EveryCommandHeedsIt) {
  const auto told = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, file);
    arguments.insert(arguments.end(), {"--hardware", "MI300X"});
    const ProcessResult result = run_plan(arguments);
    EXPECT_LE(result.exit_code, 1) << arguments.front() << ": " << result.err;
    return result.out;
  };
  const std::vector<std::vector<std::string>> commands = {{"estimate"},
                                                          {"plan", "--pin", "tp=2"},
                                                          {"advise"},
                                                          {"sweep", "--over", "world=8"},
                                                          {"diff", file, "--set", "micro_batch_size=1"},
                                                          {"why", "memory"},
                                                          {"why", "step"}};
  std::vector<std::string> before;
  for (const auto& command : commands) before.push_back(told(command));
  folder.write("exp/.primus-plan.yaml",
               "calibration:\n  hardware: MI300X\n  compute-scale: 0.5\n  memory-extra-gib: 7\n  run: ours\n");
  for (std::size_t i = 0; i < commands.size(); ++i) EXPECT_NE(told(commands[i]), before[i]) << commands[i].front();
  folder.write("exp/.primus-plan.yaml", "calibration: {hardware: H100, compute-scale: 0.5, memory-extra-gib: 7}\n");
  for (std::size_t i = 0; i < commands.size(); ++i) EXPECT_EQ(told(commands[i]), before[i]) << commands[i].front();
}

TEST_F(CalibrationCommand, CheckJudgesTheFitWithIt) {
  folder.write("exp/.primus-plan.yaml", "calibration: {hardware: MI300X, memory-extra-gib: 500}\n");
  const ProcessResult result = run_plan({"check", file, "--world-size", "8", "--hardware", "MI300X"});
  EXPECT_THAT(result.out, HasSubstr("FT")) << result.out;
}

TEST_F(CalibrationCommand, AFaultIsToldTheSameWayEverywhere) {
  folder.write("exp/.primus-plan.yaml", "calibration: {hardware: MI300X, compute-scale: 9}\n");
  for (std::vector<std::string> command : std::vector<std::vector<std::string>>{{"config", "show"},
                                                                                {"estimate"},
                                                                                {"check"},
                                                                                {"plan"},
                                                                                {"advise"},
                                                                                {"sweep", "--over", "world=8"},
                                                                                {"diff", file}}) {
    command.insert(command.begin() + (command.front() == "config" ? 2 : 1), file);
    const ProcessResult result = run_plan(command);
    EXPECT_EQ(result.exit_code, 2) << command.front();
    EXPECT_THAT(result.err, HasSubstr(".primus-plan.yaml:1:48: compute-scale of calibration must be a number from "
                                      "0.25 to 4, not 9"))
        << command.front();
  }
}

TEST_F(CalibrationCommand, APartThatNobodyKnowsIsAFault) {
  const auto show = [&](const std::string& calibration) {
    folder.write("exp/.primus-plan.yaml", "calibration: {" + calibration + ", compute-scale: 0.9}\n");
    return run_plan({"config", "show", file});
  };
  const ProcessResult unknown = show("hardware: XX");
  EXPECT_EQ(unknown.exit_code, 2) << unknown.out;
  EXPECT_THAT(unknown.err, HasSubstr("hardware of calibration: no hardware is called XX; known are "));
  EXPECT_THAT(show("hardware: MI30X").err, HasSubstr("did you mean MI300X?"));
  // Other ways to write a name call the same part.
  EXPECT_THAT(show("hardware: mi300x").out, HasSubstr("MI300X: computing rates x 0.900"));
  // A part from a file was measured, and the file is named by a flag.
  EXPECT_EQ(show("hardware: our part, run: ours").exit_code, 0);
}

TEST_F(CalibrationCommand, ConfigShowsIt) {
  folder.write("exp/.primus-plan.yaml", "calibration: {hardware: MI300X, compute-scale: 0.9, run: ours}\n");
  EXPECT_THAT(run_plan({"config", "show", file}).out, HasSubstr("MI300X: computing rates x 0.900"));
}

TEST_F(CalibrationCommand, KeepsCommentsOfTheFileAbove) {
  const std::string above = folder.write(".primus-plan.yaml", "# ours\nstrict: false  # for now\n");
  EXPECT_EQ(measure({close_memory()}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(settings));
  EXPECT_THAT(read_file(above), AllOf(HasSubstr("# ours\nstrict: false  # for now\n"), HasSubstr("memory-extra-gib")));
}

TEST_F(CalibrationCommand, DryRunWritesNothing) {
  const ProcessResult result = measure({close_memory()}, {"--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("+calibration:"));
  EXPECT_FALSE(std::filesystem::exists(settings));
}

TEST_F(CalibrationCommand, RefusesWhatNoConstantsExplain) {
  for (const char* value : {"memory_gib=9999", "memory_gib=0", "memory_gib=nan", "memory_gib=", "memory_gib",
                            "tokens_per_second_per_gpu=1e9", "tokens_per_second_per_gpu=1e999", "speed=3"}) {
    const ProcessResult result = measure({value});
    EXPECT_EQ(result.exit_code, 2) << value;
    EXPECT_FALSE(result.err.empty()) << value;
    EXPECT_FALSE(std::filesystem::exists(settings)) << value;
  }
  EXPECT_EQ(run_plan({"estimate", file, "--measured", "memory_gib=60"}).exit_code, 2);
  EXPECT_EQ(run_plan({"estimate", file, "--dry-run"}).exit_code, 2);
}

}  // namespace
}  // namespace primus_plan::test
