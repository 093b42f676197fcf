// plan, as a user runs it.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(PlanCommand, PlansForAModel) {
  const ProcessResult result = run_plan({"plan", "--model", "llama3.1_8B", "--gpus", "8", "--hardware", "MI300X"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"llama3.1_8B on 8 x MI300X", "tokens/s/GPU", "why the first", "Pareto front",
                           "one step from the first", "turned down", "confidence"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << " in:\n" << result.out;
  }
}

TEST(PlanCommand, KeepsTheBatchOfAFileAndComparesWithIt) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult result = run_plan({"plan", file, "--hardware", "MI300X"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "as the experiment has it")) << result.out;
  EXPECT_TRUE(contains(result.out, "the file as it is")) << result.out;
}

TEST(PlanCommand, AmongSizesTheFileStandsAtTheOneThatItStates) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const auto present = [&](std::vector<std::string> sizes) {
    sizes.insert(sizes.begin(), {"plan", file, "--hardware", "MI300X", "--format", "json"});
    return json::parse(run_plan(sizes).out).at("present");
  };
  const json own = present({"--gpus", "8"});
  EXPECT_EQ(own.at("world_size"), 8);
  EXPECT_EQ(present({"--gpus", "8,16,32"}), own);
  EXPECT_EQ(present({"--nodes", "1:4"}), own);
  EXPECT_EQ(present({"--gpus", "32"}).at("world_size"), 32);
}

TEST(PlanCommand, TheWrittenCopyPassesCheckAndKeepsComments) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const std::string copy = (folder.path() / "copy.yaml").string();
  EXPECT_EQ(run_plan({"plan", file, "--gpus", "16", "--pin", "tp=4", "--write", copy}).exit_code, 0);
  const std::string text = read_file(copy);
  EXPECT_TRUE(contains(text, "tensor_model_parallel_size: 4")) << text;
  const json checked = json::parse(run_plan({"check", copy, "--world-size", "16", "--format", "json"}).out);
  EXPECT_EQ(checked.at("files").at(0).at("degrees").at("tensor"), 4);
  EXPECT_EQ(checked.at("summary").at("errors"), 0);
}

TEST(PlanCommand, WritesCopiesOfExperimentsAroundAnotherTreesPresets) {
  const TemporaryFolder folder;
  folder.write(".primus-plan.yaml", "primus-root: tree\n");
  folder.write("tree/primus/configs/modules/megatron/pre_trainer.yaml", "micro_batch_size: 1\n");
  folder.write("tree/primus/configs/models/megatron/own_1B.yaml",
               "num_layers: 16\nhidden_size: 2048\nffn_hidden_size: 8192\nnum_attention_heads: 16\nseq_length: 4096\n"
               "max_position_embeddings: 4096\nvocab_size: 32000\nposition_embedding_type: rope\n");
  folder.write(
      "tree/primus/configs/platforms/platform_azure.yaml",
      "name: azure\nnum_nodes_env_key: N\nnode_rank_env_key: R\nmaster_addr_env_key: A\nmaster_port_env_key: P\n"
      "gpus_per_node_env_key: G\nworkspace: ./output\n");
  std::string experiment(silent_experiment);
  experiment.replace(experiment.find("llama3_8B"), 9, "own_1B");
  const std::string file = folder.write("exp.yaml", experiment);
  const std::string copy = (folder.path() / "copy.yaml").string();
  const ProcessResult result = run_plan({"plan", file, "--pin", "tp=4", "--write", copy});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(read_file(copy), "tensor_model_parallel_size: 4"));
}

TEST(PlanCommand, NodesNeedNotBeFull) {
  const TemporaryFolder folder;
  const std::string copy = (folder.path() / "copy.yaml").string();
  EXPECT_EQ(run_plan({"plan", "--model", "llama3.1_8B", "--gpus", "12", "--write", copy}).exit_code, 0);
  const ProcessResult checked = run_plan({"check", copy});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_TRUE(contains(checked.out, "12 GPUs on 2 nodes of 8")) << checked.out;
}

TEST(PlanCommand, TheWrittenCopyStandsAtThePlannedSizeOnThePlannedPart) {
  const TemporaryFolder folder;
  const std::string copy = (folder.path() / "copy.yaml").string();
  const std::string file = (source_dir() / "examples/maxtext/llama3.3_70B-64gpu.yaml").string();
  ASSERT_EQ(run_plan({"plan", file, "--gpus", "128", "--hardware", "MI355X", "--write", copy}).exit_code, 0);
  EXPECT_TRUE(read_file(copy).starts_with("# primus-plan: world-size=128 hardware=MI355X\n")) << read_file(copy);
  const json checked = json::parse(run_plan({"check", copy, "--format", "json"}).out);
  EXPECT_EQ(checked.at("files").at(0).at("launch").at("world_size"), 128);
  EXPECT_EQ(checked.at("summary").at("errors"), 0);
  const json estimate = json::parse(run_plan({"estimate", copy, "--format", "json"}).out);
  EXPECT_TRUE(contains(estimate.dump(), "MI355X"));
}

TEST(PlanCommand, CountsTheWarningsThatCheckGivesTheWrittenFile) {
  for (const char* name : {"megatron/llama3.2_1B-1gpu.yaml", "megatron/llama3.1_70B-64gpu.yaml"}) {
    const TemporaryFolder folder;
    const std::string copy = (folder.path() / "copy.yaml").string();
    const std::string file = (source_dir() / "examples" / name).string();
    const json planned = json::parse(run_plan({"plan", file, "--format", "json", "--write", copy}).out);
    const json checked = json::parse(run_plan({"check", copy, "--format", "json"}).out);
    EXPECT_EQ(planned.at("plans").at(0).at("warnings"), checked.at("summary").at("warnings")) << name;
    EXPECT_EQ(planned.at("plans").at(0).at("accumulation_steps"),
              checked.at("files").at(0).at("batch").at("accumulation_steps"));
  }
  const std::string one = (source_dir() / "examples/megatron/llama3.2_1B-1gpu.yaml").string();
  EXPECT_FALSE(contains(run_plan({"plan", one}).out, "FSDP")) << "one rank has nothing to share out";
}

TEST(PlanCommand, ThePlansOfAnIllegalFileLackNothing) {
  const std::string file = (source_dir() / "examples/maxtext/llama3.3_70B-64gpu.yaml").string();
  const ProcessResult result = run_plan({"plan", file, "--gpus", "16"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(contains(result.out, "the estimates lack")) << result.out;
}

TEST(PlanCommand, AnAssumedSizeIsWholeNodesAndIsTold) {
  const TemporaryFolder folder;
  std::string text = read_file(source_dir() / "examples/megatron/llama3.1_8B-8gpu.yaml");
  text = text.substr(text.find('\n') + 1);
  const std::string file = folder.write("exp.yaml", text);
  const ProcessResult planned = run_plan({"plan", file});
  EXPECT_EQ(planned.exit_code, 0) << planned.out;
  EXPECT_TRUE(contains(planned.out, "world size 8 assumed")) << planned.out;
  for (const std::vector<std::string>& ask :
       {std::vector<std::string>{"what-if", file, "--set", "tp=4"},
        std::vector<std::string>{"diff", file, "--set-b", "tensor_model_parallel_size=4"}}) {
    const ProcessResult result = run_plan(ask);
    EXPECT_TRUE(contains(result.out, "world size 8 assumed")) << result.out;
    EXPECT_FALSE(contains(result.out, "world size 4")) << result.out;
  }
}

TEST(PlanCommand, EmitPrintsOverridesOnly) {
  const ProcessResult result =
      run_plan({"plan", "--model", "llama3.1_8B", "--backend", "torchtitan", "--gpus", "8", "--emit", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("parallelism:\n  tensor_parallel_degree: ")) << result.out;
  const std::string file = (source_dir() / "examples/megatron/llama3.1_8B-8gpu.yaml").string();
  EXPECT_TRUE(
      run_plan({"plan", file, "--gpus", "16", "--emit", "1"}).out.starts_with("# primus-plan: world-size=16\n"));
  EXPECT_TRUE(run_plan({"plan", file, "--gpus", "8", "--emit", "1"}).out.starts_with("tensor_model_parallel_size: "));
}

TEST(PlanCommand, JsonHasEverything) {
  const std::vector<std::string> arguments{"plan", "--model", "llama3.1_8B", "--gpus", "8,16", "--format", "json"};
  const ProcessResult result = run_plan(arguments);
  const json out = json::parse(result.out);
  EXPECT_EQ(out.at("world_sizes"), json({8, 16}));
  EXPECT_GE(out.at("plans").size(), 2U);
  for (const char* key : {"search", "front", "reasons", "sensitivity", "layouts_as_fast_within_error"}) {
    EXPECT_TRUE(out.contains(key)) << key;
  }
  const json& plan = out.at("plans").at(0);
  EXPECT_LE(plan.at("memory_bytes").at("low"), plan.at("memory_bytes").at("expected"));
  EXPECT_TRUE(plan.at("overrides").contains("tensor_model_parallel_size"));
  std::vector<std::string> two_threads = arguments;
  two_threads.insert(two_threads.end(), {"--jobs", "3"});
  EXPECT_EQ(run_plan(two_threads).out, result.out);
}

TEST(PlanCommand, NonsenseGetsAReason) {
  struct Ask {
    std::vector<std::string> arguments;
    const char* answer;
    int exit_code;
  };
  for (const Ask& ask : {Ask{{"plan"}, "give an experiment", 2},
                         Ask{{"plan", "--model", "llama3.1_71B", "--gpus", "8"}, "did you mean llama3.1_70B", 2},
                         Ask{{"plan", "--model", "llama3.1_8B"}, "give the number of GPUs", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "8", "--seq", "0"}, "whole number from 1", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "64:8"}, "ends before it begins", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "8", "--pin", "tq=1"}, "AXIS one of tp", 2},
                         Ask{{"plan", "--model", "llama3.1_8B", "--gpus", "8", "--pin", "tp=x"}, "tp takes a whole", 2},
                         Ask{{"plan", "--model", "deepseek_v3", "--gpus", "7"}, "a size that works: ", 1}}) {
    const ProcessResult result = run_plan(ask.arguments);
    EXPECT_EQ(result.exit_code, ask.exit_code) << ask.answer;
    EXPECT_TRUE(contains(result.out + result.err, ask.answer)) << ask.answer << " in:\n" << result.out << result.err;
  }
}

std::vector<std::string> ask_8b(std::initializer_list<const char*> more) {
  std::vector<std::string> out{"plan", "--model", "llama3.1_8B", "--gpus", "64", "--hardware", "MI300X"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(PlanCommand, AxesThatCannotBeAreToldInASentence) {
  struct Ask {
    std::vector<std::string> arguments;
    const char* answer;
  };
  for (const Ask& ask :
       {Ask{{"--pin", "tp=8", "--allow", "tp=1,2"}, "--pin tp=8: --allow tp=1,2 allows other values only"},
        Ask{{"--pin", "tp=8", "--pin", "tp=4"}, "--pin tp=4: tp is given already by --pin tp=8"},
        Ask{{"--allow", "pp=1", "--allow", "pp=2"}, "--allow pp=2: pp is given already by --allow pp=1"},
        Ask{{"--pin", "tp=1,2"}, "a pin is one value; --allow tp=1,2 tries several"},
        Ask{{"--pin", "tp=0"}, "tp takes a whole number from 1"},
        Ask{{"--pin", "tp=9999999999"}, "tp takes a whole number from 1 to 1073741824"},
        Ask{{"--allow", "tp=3,5"}, "--allow tp=3,5: TP 3 or 5 does not divide 64 GPUs"},
        Ask{{"--pin", "pp=64"}, "the model has 32 layers"}, Ask{{"--pin", "vpp=40"}, "the model has 32 layers"},
        Ask{{"--pin", "ep=2"}, "the model has no experts"}, Ask{{"--pin", "mbs=4096"}, "a step has 1,024 samples only"},
        Ask{{"--pin", "replicas=2"}, "Megatron-LM has no replicas"},
        Ask{{"--pin", "sharding=none"}, "Megatron-LM takes sharding optimizer, fsdp"},
        Ask{{"--pin", "schedule=gpipe"}, "Megatron-LM takes schedule none, 1f1b"},
        Ask{{"--pin", "recompute=block", "--backend", "torchtitan"}, "TorchTitan takes recompute none"}}) {
    std::vector<std::string> arguments = ask_8b({});
    arguments.insert(arguments.end(), ask.arguments.begin(), ask.arguments.end());
    const ProcessResult result = run_plan(arguments);
    EXPECT_EQ(result.exit_code, 2) << ask.answer;
    EXPECT_TRUE(contains(result.err, ask.answer)) << ask.answer << " in:\n" << result.err;
  }
}

TEST(PlanCommand, NodesAreANumberAListOrARange) {
  const auto worlds = [](const char* nodes) {
    return json::parse(
               run_plan({"plan", "--model", "llama3.1_8B", "--nodes", nodes, "--pin", "tp=8", "--format", "json"}).out)
        .at("world_sizes");
  };
  EXPECT_EQ(worlds("2"), json({16}));
  EXPECT_EQ(worlds("4,1"), json({8, 32}));
  EXPECT_EQ(worlds("1:4"), json({8, 16, 32}));
  for (const char* nodes : {"0", "4:1", "x", "1000000000"}) {
    EXPECT_EQ(run_plan({"plan", "--model", "llama3.1_8B", "--nodes", nodes}).exit_code, 2) << nodes;
  }
}

TEST(PlanCommand, APinWithinWhatIsAllowedStands) {
  const json out = json::parse(run_plan(ask_8b({"--pin", "tp=8", "--allow", "tp=1,8", "--format", "json"})).out);
  ASSERT_FALSE(out.at("plans").empty());
  for (const json& plan : out.at("plans")) EXPECT_EQ(plan.at("candidate").at("tensor"), 8);
}

TEST(PlanCommand, APinnedScheduleIsThatOfEveryPlan) {
  const json out = json::parse(run_plan(ask_8b({"--pin", "schedule=v-half", "--format", "json"})).out);
  ASSERT_FALSE(out.at("plans").empty());
  for (const char* list : {"plans", "front"}) {
    for (const json& plan : out.at(list)) EXPECT_EQ(plan.at("candidate").at("schedule"), "v-half");
  }
}

TEST(PlanCommand, PrecisionIsSearchedOnlyWhenAsked) {
  const json plain = json::parse(run_plan(ask_8b({"--format", "json"})).out);
  for (const json& plan : plain.at("plans")) EXPECT_FALSE(plan.at("candidate").contains("precision"));
  const json both = json::parse(run_plan(ask_8b({"--allow", "precision=bf16,fp8", "--format", "json"})).out);
  EXPECT_EQ(both.at("plans").at(0).at("candidate").at("precision"), "fp8");
  EXPECT_EQ(both.at("plans").at(0).at("overrides").at("fp8"), "hybrid");
  EXPECT_EQ(both.at("search").at("candidates"), 2 * plain.at("search").at("candidates").get<int>());
  const ProcessResult titan = run_plan(ask_8b({"--backend", "torchtitan", "--pin", "precision=fp8", "--emit", "1"}));
  EXPECT_TRUE(contains(titan.out, "converters: [primus_turbo, quantize.linear.float8]")) << titan.out;
  const ProcessResult old =
      run_plan({"plan", "--model", "llama3.1_8B", "--gpus", "8", "--hardware", "A100-80", "--pin", "precision=fp8"});
  EXPECT_EQ(old.exit_code, 2);
  EXPECT_TRUE(contains(old.err, "does not compute in fp8")) << old.err;
  const ProcessResult none =
      run_plan({"plan", "--model", "llama3.1_8B", "--gpus", "8", "--hardware", "A100-80", "--set", "fp8=hybrid"});
  EXPECT_TRUE(contains(none.out + none.err, "--allow precision=bf16")) << none.out << none.err;
  const ProcessResult turned = run_plan({"plan", "--model", "llama3.1_8B", "--gpus", "8", "--hardware", "A100-80",
                                         "--set", "fp8=hybrid", "--allow", "precision=bf16"});
  EXPECT_EQ(turned.exit_code, 0) << turned.err;
}

/// A search of many seconds for one thread.
const std::vector<std::string> long_ask{"plan",       "--model", "deepseek_v3", "--gpus", "512,1024,2048",
                                        "--hardware", "MI300X",  "--format",    "json",   "--jobs",
                                        "1"};

TEST(PlanCommand, ATimeLimitGivesTheBestSoFar) {
  std::vector<std::string> arguments = long_ask;
  // A slow machine, and a program that is slowed down, finds something that fits, too.
  arguments.insert(arguments.end(), {"--time-limit", std::to_string(2 * patience())});
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = run_plan(arguments);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "stopped by --time-limit")) << result.err;
  const json out = json::parse(result.out);
  EXPECT_FALSE(out.at("search").at("complete"));
  EXPECT_FALSE(out.at("plans").empty());
  EXPECT_LT(took.count(), 6 * patience())
      << "the whole search takes longer on any machine; how much beyond the limit is its load";
}

TEST(PlanCommand, AnInterruptGivesTheBestSoFar) {
  const TemporaryFolder folder;
  const std::string told = (folder.path() / "told").string();
  std::string command = "'" + binary().string() + "'";
  for (const std::string& argument : long_ask) command += " " + argument;
  // The first line of progress says that the search is on its way.
  const std::string script = command + " 2>'" + told + "' & until grep -q candidates '" + told +
                             "' 2>/dev/null; do sleep 0.05; done; kill -INT $!; wait $!";
  const ProcessResult result = run_process("/bin/sh", {"-c", script});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(read_file(told), "stopped by an interrupt")) << read_file(told);
  const json out = json::parse(result.out);
  EXPECT_FALSE(out.at("search").at("complete"));
  EXPECT_FALSE(out.at("plans").empty());
}

TEST(PlanCommand, TheNearestAnswerKeepsThePins) {
  const ProcessResult result = run_plan(ask_8b({"--pin", "mbs=3"}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out, "64 GPUs with --global-batch 1152 (")) << result.out;
  EXPECT_TRUE(contains(result.out, "micro-batch 3")) << result.out;
}

/// What `estimate` says of a run that its author wrote by a plan.
TEST(PlanCommand, PlayedSchedulesAreEstimatedAsTheirExperiment) {
  const TemporaryFolder folder;
  const std::string copy = (folder.path() / "copy.yaml").string();
  const json out = json::parse(
      run_plan(ask_8b({"--pin", "schedule=v-min", "--pin", "pp=4", "--write", copy.c_str(), "--format", "json"})).out);
  const json estimate = json::parse(run_plan({"estimate", copy, "--hardware", "MI300X", "--format", "json"}).out);
  const json& one = estimate.is_array() ? estimate.at(0) : estimate;
  const double planned = out.at("plans").at(0).at("tokens_per_second_per_gpu");
  const double estimated = one.at("step").at("tokens_per_second_per_gpu");
  EXPECT_NEAR(planned / estimated, 1, 1e-3);
}

}  // namespace
}  // namespace primus_plan::test
