// estimate, as a user runs it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(EstimateCommand, SaysWhatARunIsAndWhatItNeeds) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult result = run_plan({"estimate", file, "--hardware", "MI300X"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"8.03 B parameters", "8 GPUs, TP 2, DP 4", "as Megatron counts", "of work",
                           "fits in the 192 GiB of MI300X", "tokens/s on each GPU", "MFU"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << " in:\n" << result.out;
  }
  EXPECT_FALSE(contains(result.out, " \n")) << "spaces at the end of a line:\n" << result.out;
}

TEST(EstimateCommand, ARunThatCannotStartIsSaidToAndHasNoNegativeWork) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const std::vector<std::string> arguments{"estimate", file, "--hardware", "MI300X", "--set", "seq_length=-4096"};
  const std::string text = run_plan(arguments).out;
  EXPECT_TRUE(contains(text, "this run will not start: 1 error")) << text;
  EXPECT_TRUE(contains(text, "no work is counted")) << text;
  std::vector<std::string> as_json = arguments;
  as_json.insert(as_json.end(), {"--format", "json"});
  const json out = json::parse(run_plan(as_json).out);
  EXPECT_EQ(out.at("errors"), 1);
  EXPECT_TRUE(out.at("flops").at("common_per_step_flops").is_null());
  EXPECT_TRUE(out.at("flops").at("counted_per_step_flops").is_null());
}

/// Every command that answers about the run of a file, with what it still says.
TEST(ARunThatWillNotStart, IsAnsweredAndFails) {
  const TemporaryFolder folder;
  const std::string bad = folder.write("bad.yaml", bad_experiment);
  const std::string page = (folder.path() / "page.html").string();
  const std::vector<std::pair<std::vector<std::string>, std::string_view>> cases{
      {{"estimate", bad}, "this run will not start: 1 error"},
      {{"estimate", bad, "--format", "json"}, "\"errors\": 1"},
      {{"pipeline", bad}, "this run will not start: 1 error"},
      {{"pipeline", bad, "--format", "json"}, "\"errors\": 1"},
      {{"layout", bad}, "8 ranks on nodes of 8"},
      {{"what-if", bad, "--set", "mbs=1"}, "accumulation steps"},
      {{"what-if", bad, "--command", "show"}, "will not start"},
      {{"report", bad, "--no-plan"}, "</html>"},
      {{"check", bad}, "1 error"}};
  for (const auto& [arguments, part] : cases) {
    const ProcessResult result = run_plan(arguments);
    EXPECT_EQ(result.exit_code, 1) << arguments.front() << ": " << result.err;
    EXPECT_TRUE(contains(result.out, part)) << arguments.front() << ":\n" << result.out.substr(0, 500);
  }
  EXPECT_EQ(run_plan({"layout", bad}).err,
            "primus-plan: " + bad + ": this run will not start: 1 error; primus-plan check says why\n");
  // What the settings do not count as an error is none here either.
  folder.write(".primus-plan.yaml", "severity:\n  MG203: off\n");
  for (const char* command : {"estimate", "pipeline", "layout", "check"}) {
    const ProcessResult result = run_plan({command, bad});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_FALSE(contains(result.out + result.err, "will not start")) << command;
  }
}

TEST(EstimateCommand, WithoutHardwareTellsHowToNameIt) {
  const TemporaryFolder folder;
  const ProcessResult result = run_plan({"estimate", folder.write("exp.yaml", good_experiment)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "--hardware")) << result.out;
  EXPECT_FALSE(contains(result.out, "tokens/s")) << result.out;
}

TEST(EstimateCommand, TakesThePartFromThePath) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "MI355X");
  const ProcessResult result = run_plan({"estimate", folder.write("MI355X/exp.yaml", good_experiment)});
  EXPECT_TRUE(contains(result.out, "MI355X (taken from its path)")) << result.out;
}

TEST(EstimateCommand, JsonAddsUp) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const json out = json::parse(run_plan({"estimate", file, "--hardware", "MI300X", "--format", "json"}).out);
  EXPECT_EQ(out.at("backend"), "megatron");
  double parameters = 0;
  for (const auto& [name, value] : out.at("parameters").at("parts").items()) parameters += value.get<double>();
  EXPECT_NEAR(parameters, out.at("parameters").at("total").get<double>(), 1);
  const json& memory = out.at("memory");
  const json& stage = memory.at("stages").at(memory.at("fullest_pipeline_rank").get<std::size_t>());
  double bytes = 0;
  for (const auto& [name, value] : stage.at("parts_bytes").items()) bytes += value.get<double>();
  EXPECT_NEAR(bytes, stage.at("device_bytes").get<double>(), 1);
  EXPECT_DOUBLE_EQ(stage.at("device_bytes").get<double>(), memory.at("device_bytes").at("expected").get<double>());
  EXPECT_LE(memory.at("device_bytes").at("low"), memory.at("device_bytes").at("expected"));
  EXPECT_LE(memory.at("device_bytes").at("expected"), memory.at("device_bytes").at("high"));
  const json& step = out.at("step");
  double seconds = 0;
  for (const auto& [name, value] : step.at("parts_seconds").items()) seconds += value.get<double>();
  EXPECT_NEAR(seconds, step.at("seconds").get<double>(), 1e-9);
  const json& flops = out.at("flops");
  EXPECT_NEAR(flops.at("counted_per_token_flops").get<double>() / flops.at("common_per_token_flops").get<double>(), 1,
              0.02);
}

/// What a part does not compute in has no step time anywhere, and no bare number without the reason.
TEST(AFormatThatThePartLacks, IsSaidByEveryCommand) {
  const TemporaryFolder folder;
  const std::string file = folder.write("fp4.yaml", std::string(good_experiment) + "      fp4: e2m1\n");
  const std::string reason = "H100 does not compute in fp4";
  const ProcessResult text = run_plan({"estimate", file, "--hardware", "H100"});
  EXPECT_TRUE(contains(text.out, "step time unknown: " + reason)) << text.out;
  const json out = json::parse(run_plan({"estimate", file, "--hardware", "H100", "--format", "json"}).out);
  EXPECT_TRUE(out.at("step").is_null());
  EXPECT_EQ(out.at("step_notes").at(0), "step time unknown: " + reason);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"plan", file},
                                             {"sweep", file, "--over", "mbs=1,2"},
                                             {"advise", file},
                                             {"pipeline", file},
                                             {"why", file, "step"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--hardware", "H100"});
    const ProcessResult result = run_plan(arguments);
    std::string said = result.out + result.err;
    std::ranges::replace(said, '\n', ' ');
    EXPECT_TRUE(contains(said, reason)) << command.front() << ": " << said;
    EXPECT_FALSE(contains(said, "tokens/s on each GPU")) << command.front();
  }
  const std::string changed = folder.write("exp.yaml", good_experiment);
  const std::string moved = run_plan({"what-if", changed, "--set", "fp4=e2m1", "--hardware", "H100"}).out;
  EXPECT_FALSE(contains(moved, "100.0 %")) << moved;
  const ProcessResult check = run_plan({"check", file, "--hardware", "H100"});
  EXPECT_TRUE(contains(check.out, "FT105")) << check.out;
  EXPECT_FALSE(contains(run_plan({"check", file, "--hardware", "MI355X"}).out, "FT105"));
}

TEST(EstimateCommand, TimesFp32AtItsOwnRate) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const auto seconds = [&](const char* bf16) {
    return json::parse(run_plan({"estimate", file, "--hardware", "H100", "--set", std::string("bf16=") + bf16,
                                 "--format", "json"})
                           .out)
        .at("step")
        .at("seconds")
        .get<double>();
  };
  EXPECT_GT(seconds("false"), 5 * seconds("true"));
}

TEST(EstimateCommand, AnUnknownPartIsUsage) {
  const TemporaryFolder folder;
  const ProcessResult result =
      run_plan({"estimate", folder.write("exp.yaml", good_experiment), "--hardware", "MI300Y"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "MI300X")) << result.err;
}

TEST(EstimateCommand, NamesTheFactThatIsMissing) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("keys.yaml", "model: {name: llama3, flavor: 9000B}\ntraining: {seq_len: 4096}\n");
  const ProcessResult result = run_plan({"estimate", file, "--backend", "torchtitan", "--world-size", "8"});
  EXPECT_TRUE(contains(result.out, "the dimensions of the model")) << result.out << result.err;
}

}  // namespace
}  // namespace primus_plan::test
