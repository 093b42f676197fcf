// schemas/experiment.schema.json: what editors accept and refuse.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "primus_plan/report/schema.h"
#include "support/experiments.h"
#include "support/folder.h"
#include "support/node_json.h"
#include "support/paths.h"
#include "support/schema.h"
#include "support/yaml.h"

namespace primus_plan::test {
namespace {

namespace fs = std::filesystem;

std::string faults(const std::string& yaml) {
  const nlohmann::json value = nlohmann::json::parse(plain(*parse(yaml).root).dump());
  return schema_faults(value, "experiment.schema.json");
}

std::string experiment(const std::string& framework, const std::string& overrides) {
  return "work_group: a\nuser_name: b\nexp_name: c\nworkspace: d\nmodules:\n  pre_trainer:\n    framework: " +
         framework + "\n    config: pre_trainer.yaml\n    model: some.yaml\n    overrides:\n" + overrides;
}

TEST(ExperimentSchema, TakesTheExamples) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source_dir() / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(faults(read_file(entry.path())), "") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0U);
  EXPECT_EQ(faults(std::string(good_experiment)), "");
}

TEST(ExperimentSchema, RefusesWrongTypes) {
  EXPECT_NE(faults(experiment("megatron", "      seq_length: long\n")), "");
  EXPECT_NE(faults(experiment("megatron", "      sequence_parallel: \"yes\"\n")), "");
  EXPECT_NE(faults(experiment("megatron", "      recompute_granularity: some\n")), "") << "not among the choices";
  EXPECT_NE(faults(experiment("torchtitan", "      parallelism:\n        tensor_parallel_degree: two\n")), "");
  EXPECT_NE(faults(experiment("torchtitan", "      parallelism: 8\n")), "");
  EXPECT_NE(faults(experiment("maxtext", "      steps: many\n")), "");
  EXPECT_NE(faults("modules: [1]\nextends: a.yaml\n"), "");
  EXPECT_EQ(faults(experiment("megatron", "      seq_length: 8192\n      recompute_granularity: full\n")), "");
  EXPECT_EQ(faults(experiment("torchtitan", "      parallelism:\n        tensor_parallel_degree: 2\n")), "");
}

TEST(ExperimentSchema, RefusesKeysThatNobodyReads) {
  EXPECT_NE(faults(experiment("megatron", "      seq_lenght: 8192\n")), "");
  EXPECT_NE(faults(experiment("megatron", "      ici_tensor_parallelism: 8\n")), "") << "another framework's";
  EXPECT_NE(faults(experiment("torchtitan", "      parallelism:\n        tensor_parallel_size: 2\n")), "");
  EXPECT_EQ(faults(experiment("hummingbirdxt", "      anything: 1\n")), "") << "no catalogue, no opinion";
}

TEST(ExperimentSchema, TakesVariablesEverywhere) {
  EXPECT_EQ(faults(experiment("megatron",
                              "      seq_length: ${SEQ:8192}\n      sequence_parallel: ${SP}\n"
                              "      recompute_granularity: ${RECOMPUTE:full}\n      lr: ${LR:1.0e-4}\n")),
            "");
}

TEST(ExperimentSchema, TakesWhatPythonTakes) {
  EXPECT_EQ(faults(experiment("megatron",
                              "      sequence_parallel: 1\n      train_data_path: /data/tokens\n"
                              "      moe_aux_loss_coeff: 0.0\n      tokenizer_type: Llama3Tokenizer\n"
                              "      moe_flex_dispatcher_backend: null\n")),
            "");
  EXPECT_NE(faults(experiment("megatron", "      sequence_parallel: 2\n")), "");
}

TEST(ExperimentSchema, LetsAFileThatExtendsAnotherBePartial) {
  EXPECT_NE(faults("exp_name: a\n"), "");
  EXPECT_EQ(faults("extends: base.yaml\nexp_name: a\n"), "");
}

TEST(ExperimentSchema, OfOneBackendHoldsNoOthers) {
  const auto schema = nlohmann::json::parse(experiment_schema("maxtext"));
  EXPECT_TRUE(schema["definitions"].contains("maxtext"));
  EXPECT_FALSE(schema["definitions"].contains("megatron"));
  EXPECT_EQ(schema["definitions"]["module"]["properties"]["overrides"]["allOf"][0]["$ref"], "#/definitions/maxtext");
}

TEST(ExperimentSchema, TellsOfEveryKey) {
  const auto schema = nlohmann::json::parse(experiment_schema());
  const auto& key = schema["definitions"]["megatron"]["properties"]["tensor_model_parallel_size"];
  EXPECT_EQ(key["default"], 1);
  EXPECT_FALSE(key["description"].get<std::string>().empty());
  EXPECT_EQ(schema["definitions"]["megatron"]["properties"]["LEGACY_GG"]["deprecationMessage"],
            "no effect: nothing reads it; see moe_use_legacy_grouped_gemm");
}

TEST(ReportSchema, IsTheFile) {
  for (const std::string name : {"report", "plan"}) {
    EXPECT_EQ(output_schema(name), read_file(source_dir() / "schemas" / (name + ".schema.json"))) << name;
  }
  EXPECT_EQ(output_schema("experiment"), "");
}

}  // namespace
}  // namespace primus_plan::test
