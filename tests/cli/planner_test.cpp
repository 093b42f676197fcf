// sweep, diff, translate and advise, as a user runs them.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(SweepCommand, TableLegendAndPlot) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult result = run_plan({"sweep", file, "--over", "world=8:32"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "tok/s/GPU")) << result.out;
  EXPECT_TRUE(contains(result.out, "|####")) << "a plot for one axis:\n" << result.out;
  const ProcessResult two = run_plan({"sweep", file, "--over", "gbs=32,33", "--over", "tp=1,2"});
  EXPECT_TRUE(contains(two.out, "illegal:\n  A  MG203 global-batch-not-divisible: ")) << two.out;
  EXPECT_FALSE(contains(two.out, "|####")) << two.out;
}

TEST(SweepCommand, CsvAndJson) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult csv = run_plan({"sweep", file, "--over", "tp=1,3", "--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("tp,world_size,dp,accumulation_steps,")) << csv.out;
  EXPECT_TRUE(contains(csv.out, "\n1,8,8,2,")) << csv.out;
  EXPECT_TRUE(contains(csv.out, "false,MG")) << csv.out;
  const json points = json::parse(run_plan({"sweep", file, "--over", "tp=1,3", "--format", "json"}).out).at("points");
  EXPECT_EQ(points.at(0).at("dp"), 8);
  EXPECT_GT(points.at(0).at("tokens_per_second_per_gpu"), 0);
  EXPECT_EQ(points.at(1).at("legal"), false);
}

// One vocabulary for machines, whatever answers: that of schemas/plan.schema.json.
TEST(Fit, IsSaidInTheSameWordsByEveryCommand) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const json schema = json::parse(read_file(source_dir() / "schemas/plan.schema.json"));
  const json& words = schema.at("definitions").at("fit").at("enum");
  const auto answer = [&](std::vector<std::string> arguments, std::int64_t gib) {
    arguments.insert(arguments.begin() + 1, file);
    arguments.insert(arguments.end(), {"--hardware", "MI300X:memory_gib=" + std::to_string(gib)});
    return run_plan(arguments).out;
  };
  const double bytes =
      json::parse(answer({"estimate", "--format", "json"}, 192)).at("memory").at("device_bytes").at("expected");
  const auto needed = static_cast<std::int64_t>(bytes / (1 << 30)) + 1;
  const std::vector<std::int64_t> sizes{4 * needed, needed, needed / 2};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string word = words.at(i);
    const json estimate = json::parse(answer({"estimate", "--format", "json"}, sizes[i]));
    EXPECT_EQ(estimate.at("memory").at("fit"), word);
    const json sweep = json::parse(answer({"sweep", "--over", "tp=2", "--format", "json"}, sizes[i]));
    EXPECT_EQ(sweep.at("points").at(0).at("fit"), word);
    const std::string csv = answer({"sweep", "--over", "tp=2", "--format", "csv"}, sizes[i]);
    EXPECT_TRUE(contains(csv, "," + word + ",")) << csv;
    const json advice = json::parse(answer({"advise", "--format", "json"}, sizes[i]));
    EXPECT_TRUE(contains(advice.dump(), "\"fit\":\"" + word + "\"")) << advice.dump();
    const json session = json::parse(answer({"what-if", "--command", "show", "--format", "json"}, sizes[i]));
    EXPECT_EQ(session.at(0).at("numbers").at("fit"), word);
  }
}

TEST(SweepCommand, RefusesUnknownAxesAndFailsWhenNothingIsLegal) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult unknown = run_plan({"sweep", file, "--over", "tensor_parallel_sze=1,2"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "neither a key nor one of tp, pp")) << unknown.err;
  EXPECT_EQ(run_plan({"sweep", file}).exit_code, 2);
  EXPECT_EQ(run_plan({"sweep", file, "--over", "tp=3,5"}).exit_code, 1);
}

// A size that nobody gave is the one that the estimates have: whole nodes.
TEST(SweepCommand, AssumesTheWorldOfTheEstimates) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", "tensor_model_parallel_size: 1\nglobal_batch_size: 128\n");
  const json estimate = json::parse(run_plan({"estimate", file, "--hardware", "MI300X", "--format", "json"}).out);
  const ProcessResult swept = run_plan({"sweep", file, "--over", "tp=1,4", "--hardware", "MI300X", "--format", "json"});
  const json points = json::parse(swept.out).at("points");
  EXPECT_EQ(points.at(0).at("world_size"), estimate.at("world_size")) << swept.out;
  EXPECT_EQ(points.at(0).at("tokens_per_second_per_gpu"), estimate.at("step").at("tokens_per_second_per_gpu"));
  EXPECT_EQ(points.at(1).at("legal"), true) << "four of eight GPUs";
}

TEST(DiffCommand, ExitCodesTellWhatTrains) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.yaml", good_experiment);
  const std::string same = folder.write("same.yaml", "# a remark\n" + std::string(good_experiment));
  const std::string other = folder.write("other.yaml", with(std::string(good_experiment), "size: 32", "size: 64"));
  EXPECT_EQ(run_plan({"diff", a, same, "--exit-code"}).exit_code, 0);
  EXPECT_EQ(run_plan({"diff", a, other, "--exit-code"}).exit_code, 1);
  EXPECT_EQ(run_plan({"diff", a, other}).exit_code, 0);
  EXPECT_EQ(run_plan({"diff", a, "--set-b", "tensor_model_parallel_size=4", "--exit-code"}).exit_code, 0);
  EXPECT_EQ(run_plan({"diff", a, folder.write("broken.yaml", "a: [\n"), "--exit-code"}).exit_code, 2);
  EXPECT_EQ(run_plan({"diff", a, (folder.path() / "broken.yaml").string()}).exit_code, 1);
  EXPECT_EQ(run_plan({"diff", a, "nowhere.yaml", "--exit-code"}).exit_code, 2);
  EXPECT_EQ(run_plan({"diff", a, "--exit-code"}).exit_code, 2) << "nothing to compare with";
}

TEST(DiffCommand, SettingsOfOneFile) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.yaml", good_experiment);
  const ProcessResult result = run_plan({"diff", a, "--set-b", "tensor_model_parallel_size=4"});
  EXPECT_TRUE(contains(result.out, "the same training, run or told in another way")) << result.out;
  EXPECT_TRUE(contains(result.out, "tensor_model_parallel_size: 2 -> 4")) << result.out;
  EXPECT_TRUE(contains(result.out, "does a checkpoint of A load in B: in part")) << result.out;
  const json answer = json::parse(run_plan({"diff", a, "--set-b", "global_batch_size=33", "--format", "json"}).out);
  EXPECT_EQ(answer.at("trains_the_same"), false);
  EXPECT_EQ(answer.at("new").at(0).at("rule"), "MG203");
  EXPECT_EQ(answer.at("checkpoint").at("loads"), "unknown");
}

TEST(DiffCommand, RevisionsOfGit) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const std::string at = folder.path().string();
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-C", at, "-c", "user.name=user", "-c", "user.email=user@example.com"});
    return run_process("/usr/bin/git", arguments).exit_code;
  };
  if (!std::filesystem::exists("/usr/bin/git")) GTEST_SKIP() << "no git here";
  ASSERT_EQ(git({"init", "-q"}), 0);
  ASSERT_EQ(git({"add", "."}), 0);
  ASSERT_EQ(git({"commit", "-qm", "first"}), 0);
  folder.write("exp.yaml", with(std::string(good_experiment), "size: 32", "size: 64"));
  const ProcessResult result = run_plan({"diff", file + "@HEAD", file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "global_batch_size: 32 -> 64")) << result.out;
  const ProcessResult unknown = run_plan({"diff", file + "@nowhere", file});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "git knows no revision nowhere")) << unknown.err;
}

TEST(TranslateCommand, PassesCheckAndDiffersInNoDegree) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  for (const std::string target : {"torchtitan", "maxtext"}) {
    const std::string out = (folder.path() / (target + ".yaml")).string();
    const ProcessResult result = run_plan({"translate", file, "--to", target, "--output", out});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(run_plan({"check", out}).exit_code, 0) << read_file(out);
    const json answer = json::parse(run_plan({"diff", file, out, "--format", "json"}).out);
    for (const json& number : answer.at("numbers")) {
      for (const char* name : {"world size", "TP", "PP", "CP", "DP", "global batch", "sequence length"}) {
        if (number.at("name") == name) {
          EXPECT_EQ(number.at("a"), number.at("b")) << number;
        }
      }
    }
    EXPECT_EQ(run_plan({"translate", file, "--to", target, "--output", out}).exit_code, 2) << "it exists already";
  }
}

TEST(TranslateCommand, RefusesItsOwnFrameworkAndBrokenRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  EXPECT_EQ(run_plan({"translate", file, "--to", "megatron"}).exit_code, 2);
  EXPECT_EQ(run_plan({"translate", folder.write("bad.yaml", bad_experiment), "--to", "maxtext"}).exit_code, 1);
  EXPECT_EQ(run_plan({"translate", file, "--to", "jax"}).exit_code, 2);
}

TEST(TranslateCommand, AnotherModelIsRefusedAndNotWritten) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const std::filesystem::path out = folder.path() / "out.yaml";
  const ProcessResult plain =
      run_plan({"translate", file, "--to", "maxtext", "--set", "swiglu=false", "--output", out.string()});
  EXPECT_EQ(plain.exit_code, 1) << plain.err;
  EXPECT_TRUE(contains(plain.err, "no translation: ")) << plain.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Stages that no node holds alone: 7 in each of 3 nodes.
TEST(TranslateCommand, PlacesAPipelineInNodesAndAcross) {
  const TemporaryFolder folder;
  std::string text = with(std::string(good_experiment), "tensor_model_parallel_size: 2", "num_layers: 42");
  text = with(text, "pipeline_model_parallel_size: 1", "pipeline_model_parallel_size: 21");
  const std::string file = folder.write("exp.yaml", with(text, "global_batch_size: 32", "global_batch_size: 84"));
  const ProcessResult result =
      run_plan({"translate", file, "--to", "maxtext", "--world-size", "21", "--gpus-per-node", "7"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "ici_pipeline_parallelism: 7")) << result.out;
  EXPECT_TRUE(contains(result.out, "dcn_pipeline_parallelism: 3")) << result.out;
}

TEST(TranslateCommand, PresetsAreChosenByShapeAndMissingPartsAreTold) {
  const TemporaryFolder folder;
  const std::string snippet = (source_dir() / "docs/guide/torchtitan-experts.yaml").string();
  const ProcessResult experts = run_plan({"translate", snippet, "--to", "megatron", "--world-size", "8"});
  EXPECT_EQ(experts.exit_code, 0) << experts.err;
  EXPECT_TRUE(contains(experts.out, "model: deepseek_v2_lite.yaml")) << experts.out;
  const std::string deepseek = (source_dir() / "examples/megatron/deepseek_v3-1024gpu.yaml").string();
  const ProcessResult told = run_plan({"translate", deepseek, "--to", "torchtitan"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_TRUE(contains(told.err, "671 B parameters here, 683 B in the original")) << told.err;
  EXPECT_TRUE(contains(told.out, "said in torchtitan.\n# model: not quite the same: 671 B parameters")) << told.out;
}

TEST(AdviseCommand, SpeaksOfGoalsWithNumbers) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult result = run_plan({"advise", file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "the model fits on one GPU")) << result.out;
  EXPECT_TRUE(contains(result.out, "more GPUs at the same global batch")) << result.out;
  EXPECT_TRUE(contains(result.out, "estimates for MI300X (nothing names the GPU")) << result.out;
  const json answer = json::parse(run_plan({"advise", file, "--hardware", "H100", "--format", "json"}).out);
  EXPECT_EQ(answer.at("goals").size(), 3U);
  EXPECT_LE(answer.at("top").size(), 3U);
  EXPECT_EQ(run_plan({"advise", folder.write("bad.yaml", bad_experiment)}).exit_code, 1);
}

TEST(AdviseCommand, SnippetsGetAdviceThatNamesWhatIsNotCounted) {
  const std::filesystem::path guide = source_dir() / "docs" / "guide";
  const std::string file = (guide / "megatron-experts.yaml").string();
  const ProcessResult told = run_plan({"advise", file, "--world-size", "64"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_TRUE(contains(told.out, "the estimates do not count vocab_size")) << told.out;
  EXPECT_TRUE(contains(told.out, "the model fits on one GPU") || contains(told.out, "the model needs")) << told.out;
  const json answers = json::parse(
      run_plan({"advise", (guide / "several.yaml").string(), "--world-size", "64", "--format", "json"}).out);
  EXPECT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers.at(0).at("not_counted"), json({"vocab_size"}));
}

TEST(AdviseCommand, AModuleWithoutAdviceLosesNoOther) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("two.yaml", "tensor_model_parallel_size: 3\nnum_attention_heads: 32\n---\nmicro_batch_size: 2\n");
  const ProcessResult result = run_plan({"advise", file, "--world-size", "8"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "where it stands")) << result.out;
  EXPECT_FALSE(result.err.empty());
}

}  // namespace
}  // namespace primus_plan::test
