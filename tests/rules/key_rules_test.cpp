// The finer conditions of the rules of keys and values that hold for every framework, beyond their examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "backends/common/keys.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Said {
  std::set<std::string> rules;
  std::string text;  ///< messages, reasons and ways out, one a line
  std::string framework;
};

Said check(const std::string& yaml, const Environment& environment = {}) {
  const MemoryFiles files;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("case.yaml", yaml, {});
  Said out;
  const auto add = [&](const Finding& finding) {
    out.rules.emplace(finding.rule->id);
    out.text += finding.message + '\n';
    for (const std::string& line : finding.because) out.text += line + '\n';
    for (const std::string& line : finding.help) out.text += line + '\n';
  };
  for (const Finding& error : loaded.errors) add(error);
  for (const Experiment& experiment : loaded.experiments) {
    for (const Analysis& analysis : analyze(experiment, assume_launch(8, 8), environment, {})) {
      out.framework = analysis.framework;
      for (const Finding& finding : analysis.findings) add(finding);
    }
  }
  return out;
}

std::string experiment(const std::string& top, const std::string& module) {
  return "work_group: t\nuser_name: u\nexp_name: e\nworkspace: w\n" + top +
         "modules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n    model: "
         "llama3.1_8B.yaml\n" +
         module;
}

TEST(ProbableKeys, AreFoundUnderEveryFrameworksName) {
  const auto key = [](std::string_view framework, std::string_view name) {
    return std::string(probable_key(framework, name).key);
  };
  EXPECT_EQ(key("megatron", "tensor_parallel_size"), "tensor_model_parallel_size");
  EXPECT_EQ(key("megatron", "tensor_parallel_degree"), "tensor_model_parallel_size");
  EXPECT_EQ(key("megatron", "ici_tensor_parallelism"), "tensor_model_parallel_size");
  EXPECT_EQ(key("megatron", "Tensor-Model-Parallel-Size"), "tensor_model_parallel_size");
  EXPECT_EQ(key("megatron", "tensor_model_parallel_sze"), "tensor_model_parallel_size");
  EXPECT_EQ(key("torchtitan", "parallelism.tensor_model_parallel_size"), "parallelism.tensor_parallel_degree");
  EXPECT_EQ(key("torchtitan", "training.moe_force_load_balance"), "debug.moe_force_load_balance");
  EXPECT_EQ(key("torchtitan", "training.seed"), "debug.seed");
  EXPECT_EQ(key("torchtitan", "training.batch_size"), "training.local_batch_size");
  EXPECT_EQ(key("torchtitan", "optimizer.implementaton"), "optimizer.implementation");
  EXPECT_EQ(key("maxtext", "tensor_model_parallel_size"), "ici_tensor_parallelism");
  EXPECT_EQ(key("maxtext", "seq_length"), "max_target_length");
  EXPECT_EQ(key("maxtext", "ici_tensor_paralelism"), "ici_tensor_parallelism");
  EXPECT_EQ(key("megatron", "zzz_unlike_anything_at_all"), "");
}

TEST(ProbableKeys, SayWhoseTheWrittenNameIs) {
  EXPECT_EQ(probable_key("megatron", "tensor_parallel_degree").owner, "TorchTitan");
  EXPECT_EQ(probable_key("torchtitan", "tensor_model_parallel_size").owner, "Megatron");
  EXPECT_EQ(probable_key("maxtext", "global_batch_size").owner, "Megatron");
  EXPECT_THAT(std::string(probable_key("maxtext", "global_batch_size").note), HasSubstr("per_device_batch_size"));
}

TEST(Snippets, OfMisspeltKeysAreRecognised) {
  EXPECT_EQ(check("tensor_model_parallel_sze: 8\n").framework, "megatron");
  EXPECT_EQ(check("sequence_paralel: true\n").framework, "megatron");
  EXPECT_THAT(check("sequence_paralel: true\n").text, HasSubstr("did you mean sequence_parallel?"));
  EXPECT_EQ(check("per_device_batchsize: 1\n").framework, "maxtext");
  EXPECT_THAT(check("zzz_unlike_anything_at_all: 8\n").rules, ElementsAre("CF214"));
}

TEST(Sections, OfAnotherFrameworkNameTheKeysThatAreMeant) {
  const Said said = check(experiment("",
                                     "    overrides:\n      training:\n        local_batch_size: 6\n"
                                     "        seq_len: 2048\n"));
  EXPECT_THAT(said.rules, Contains("MG802"));
  EXPECT_THAT(said.text, HasSubstr("training is a section of TorchTitan"));
  EXPECT_THAT(said.text, HasSubstr("training.local_batch_size: micro_batch_size"));
  EXPECT_THAT(said.text, HasSubstr("training.seq_len: seq_length"));
}

TEST(KeysBesideOverrides, MatterOnlyWhereTheyLose) {
  EXPECT_THAT(check(experiment("", "    global_batch_size: 32\n")).rules, Contains("CF801"));
  EXPECT_THAT(check(experiment("", "    tensor_model_parallel_size: 1\n")).rules, Not(Contains("CF801"))) << "the same";
  EXPECT_THAT(check(experiment("", "    moe_z_loss_coeff: 0.1\n")).rules, Not(Contains("CF801"))) << "no preset has it";
}

TEST(KeysBesideOverrides, LoseAgainstOverridesToo) {
  const Said said =
      check(experiment("",
                       "    overrides:\n      tensor_model_parallel_size: 2\n      pipeline_model_parallel_size: 1\n"
                       "    tensor_model_parallel_size: 4\n    pipeline_model_parallel_size: 1\n"));
  EXPECT_THAT(said.rules, Contains("CF801"));
  EXPECT_THAT(said.text, HasSubstr("tensor_model_parallel_size 4 beside config and model has no effect: overrides:"));
  EXPECT_THAT(said.text, Not(HasSubstr("pipeline_model_parallel_size 1 beside"))) << "the same in both places";
}

TEST(KeysAtTheTop, AreJudgedWhenAFrameworkHasThem) {
  EXPECT_THAT(check(experiment("micro_batch_size: 1\n", "")).rules, Contains("CF804"));
  EXPECT_THAT(check(experiment("overrides:\n  micro_batch_size: 1\n", "")).rules, Contains("CF804"));
  EXPECT_THAT(check(experiment("x_common:\n  lr: 1.0e-4\nenv:\n  NCCL_DEBUG: INFO\n", "")).rules,
              Not(Contains("CF804")));
}

TEST(Overrides, ThatRepeatAreCounted) {
  const Said said =
      check(experiment("", "    overrides:\n      num_layers: 32\n      hidden_size: 4096\n      seed: 99\n"));
  EXPECT_THAT(said.text, HasSubstr("2 overrides repeat the model preset's values: num_layers, hidden_size"));
}

TEST(Numbers, AreReadAsYamlReadsThem) {
  EXPECT_THAT(check("micro_batch_size: 1\ntrain_iters: 1:30\n").text, HasSubstr("1:30 is read as 90"));
  EXPECT_THAT(check("micro_batch_size: 1\ntrain_iters: 0100\n").text, HasSubstr("0100 is read as 64"));
  EXPECT_THAT(check("micro_batch_size: 1\ntrain_iters: 0x40\n").rules, Not(Contains("CF805"))) << "plain to see";
  EXPECT_THAT(check("micro_batch_size: 1\ntrain_iters: 07\n").rules, Not(Contains("CF805"))) << "7 either way";
}

TEST(Variables, ChangeTypes) {
  const std::string yaml = "micro_batch_size: 1\nglobal_batch_size: 8\nlog_interval: ${PP_TEST_N:10}\n";
  Environment text;
  text.set("PP_TEST_N", "ten");
  EXPECT_THAT(check(yaml, text).text,
              HasSubstr("PP_TEST_N makes this ten (a string); without it, it is 10 (an integer)"));
  Environment number;
  number.set("PP_TEST_N", "20");
  EXPECT_THAT(check(yaml, number).rules, Not(Contains("CF806")));
  EXPECT_THAT(check(yaml).rules, Not(Contains("CF806")));
}

TEST(TextKeys, ReadAsBooleansAreTold) {
  EXPECT_THAT(check("micro_batch_size: 1\nwandb_project: off\n").rules, Contains("MG804"));
  EXPECT_THAT(check("micro_batch_size: 1\nwandb_project: \"off\"\n").rules, Not(Contains("MG804")));
  EXPECT_THAT(check("micro_batch_size: 1\noverlap_grad_reduce: n\n").text, HasSubstr("y and n alone are text"));
}

}  // namespace
}  // namespace primus_plan
