// The finer conditions of the rules of keys, types and choices, beyond their examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

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
  std::string text;  ///< messages and ways out, one a line
};

/// What these keys give over the built-in presets on 8 GPUs, without advice.
Said check(const std::string& keys, const ExperimentOptions& options = {}) {
  const Environment environment;
  const MemoryFiles files;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("case.yaml", "num_layers: 24\n" + keys, options);
  Said out;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch({.world_size = 8, .nodes = {}, .gpus_per_node = {}}, environment, experiment.pragma);
    for (const Analysis& analysis : analyze(experiment, launch, environment, {})) {
      for (const Finding& finding : analysis.findings) {
        if (finding.rule->stage == Stage::advice) continue;
        out.rules.emplace(finding.rule->id);
        out.text += finding.message + '\n';
        for (const std::string& help : finding.help) out.text += help + '\n';
      }
    }
  }
  return out;
}

TEST(MegatronKeys, UnknownKeysNameWhatWasMeant) {
  EXPECT_THAT(check("tensor_parallel_size: 2\n").text, HasSubstr("did you mean tensor_model_parallel_size?"));
  EXPECT_THAT(check("micro-batch-size: 2\n").text, HasSubstr("did you mean micro_batch_size?"));
  EXPECT_THAT(check("Recompute_Granularity: full\n").text, HasSubstr("did you mean recompute_granularity?"));
  EXPECT_THAT(check("sequence_paralel: true\n").text, HasSubstr("did you mean sequence_parallel?"));
  EXPECT_THAT(check("micro_batch_size: 1\ntraining:\n  local_batch_size: 6\n", {.backend = "megatron"}).text,
              HasSubstr("training is a section"));
  EXPECT_THAT(check("HSA_NO_SCRATCH_RECLAIM: 1\n").text, HasSubstr("a variable is exported"));
}

TEST(MegatronKeys, KeysThatPrimusOrAConfigClassReadsAreKnown) {
  EXPECT_THAT(check("moe_router_force_load_balancing: false\n").rules, IsEmpty());
  EXPECT_THAT(check("log_avg_reset_interval: 50\n").rules, IsEmpty()) << "read by Primus";
  EXPECT_THAT(check("layernorm_epsilon: 1.0e-6\n").rules, IsEmpty()) << "a field of TransformerConfig";
}

TEST(MegatronKeys, TheCommandLineIsJudgedToo) {
  EXPECT_THAT(check("micro_batch_size: 1\n", {.sets = {{"tensor_parallel_size", "2"}}}).rules, ElementsAre("MG802"));
}

TEST(MegatronKeys, NormEpsilonMattersWhereItDiffers) {
  EXPECT_THAT(check("norm_epsilon: 1.0e-6\n").rules, ElementsAre("MG805"));
  EXPECT_THAT(check("norm_epsilon: 1.0e-5\n").rules, IsEmpty()) << "what Megatron takes anyway";
  EXPECT_THAT(check("norm_epsilon: 1.0e-6\nlayernorm_epsilon: 1.0e-6\n").rules, IsEmpty());
}

TEST(MegatronKeys, TwinsCountOnlyWhereTheySaySomething) {
  EXPECT_THAT(check("num_layers_in_last_pipeline_stage: 3\n").rules, ElementsAre("MG806"));
  EXPECT_THAT(check("fp8_param: false\n").rules, IsEmpty());
  EXPECT_THAT(check("num_moe_experts: 8\n").text, HasSubstr("use num_experts"));
}

TEST(MegatronKeys, RemovedNamesStopTheRunUnlessNull) {
  EXPECT_THAT(check("model_parallel_size: 2\n").rules, ElementsAre("MG807"));
  EXPECT_THAT(check("warmup: 0\n").rules, ElementsAre("MG807"));
  EXPECT_THAT(check("warmup: null\ncheckpoint_activations: false\n").rules, IsEmpty());
  EXPECT_THAT(check("checkpoint_activations: true\n").rules, ElementsAre("MG807"));
}

TEST(MegatronTypes, NumbersWithoutADotAreText) {
  const Said said = check("lr: 1e-5\n");
  EXPECT_THAT(said.rules, ElementsAre("MG801"));
  EXPECT_THAT(said.text, HasSubstr("write 1.0e-5"));
  EXPECT_THAT(check("lr: 1.0e5\n").text, HasSubstr("write 1.0e+5"));
  EXPECT_THAT(check("adam_eps: 1e-8\n").rules, ElementsAre("MG803"));
  EXPECT_THAT(check("sgd_momentum: 9e-1\n").rules, ElementsAre("MG804")) << "used by another optimizer only";
}

TEST(MegatronTypes, DegreesHaveToBeIntegers) {
  EXPECT_TRUE(check("tensor_model_parallel_size: \"2\"\n").rules.contains("MG801"));
  EXPECT_TRUE(check("tensor_model_parallel_size: 2.0\n").rules.contains("MG801"));
  EXPECT_TRUE(check("context_parallel_size: null\n").rules.contains("MG801"));
  EXPECT_FALSE(check("expert_tensor_parallel_size: null\n").rules.contains("MG801")) << "null stands for TP";
}

TEST(MegatronTypes, AFloatBatchStopsTheScheduleOnly) {
  EXPECT_THAT(check("micro_batch_size: 1\nglobal_batch_size: 64.0\n").rules, ElementsAre("MG803"));
  EXPECT_THAT(check("train_iters: 50.0\n").rules, ElementsAre("MG804"));
}

TEST(MegatronTypes, TextIsTrueAndOneIsTrue) {
  EXPECT_THAT(check("overlap_grad_reduce: \"false\"\n").text, HasSubstr("takes it for true"));
  EXPECT_THAT(check("overlap_grad_reduce: 1\nuse_distributed_optimizer: 1\n").rules, IsEmpty());
}

TEST(MegatronChoices, WhatIsRefusedLateIsAnError) {
  EXPECT_THAT(check("normalization: rmsnorm\n").rules, ElementsAre("MG810"));
  EXPECT_THAT(check("normalization: rmsnorm\n").text, HasSubstr("did you mean RMSNorm?"));
  EXPECT_THAT(check("weight_decay_incr_style: exponential\nstart_weight_decay: 0.0\nend_weight_decay: 0.1\n").rules,
              ElementsAre("MG810"));
  EXPECT_THAT(check("moe_token_drop_policy: random\n").rules, ElementsAre("MG811")) << "no experts, no tokens dropped";
}

TEST(MegatronChoices, OfListsAndNumbersAreJudgedToo) {
  const std::string balance = "num_experts: 8\nmoe_router_load_balancing_type: ";
  EXPECT_THAT(check(balance + "auxloss\n").rules, Contains("MG811"));
  EXPECT_THAT(check(balance + "[aux_loss, seq_aux_los]\nmoe_aux_loss_coeff: [0.01, 0.01]\n").text,
              HasSubstr("is seq_aux_los, none of"));
  EXPECT_THAT(check(balance + "[aux_loss, none]\nmoe_aux_loss_coeff: [0.01, 0.0]\n").rules, Not(Contains("MG811")));
  EXPECT_THAT(check("timing_log_level: 5\n").rules, ElementsAre("MG811"));
  EXPECT_THAT(check("timing_log_level: 2\n").rules, IsEmpty());
  EXPECT_THAT(check("timing_log_level: \"2\"\n").rules, ElementsAre("MG811")) << "Python compares text with numbers";
  EXPECT_THAT(check("moe_router_dtype: null\n").rules, IsEmpty());
}

TEST(MegatronChoices, RulesOfTheirTopicJudgeAlone) {
  EXPECT_THAT(check("optimizer: adamw\n").rules, ElementsAre("MG511"));
  EXPECT_THAT(check("dataloader_type: batch\n").rules, ElementsAre("MG228"));
}

TEST(MegatronChoices, WhatPrimusKnowsBesidesIsKnown) {
  EXPECT_THAT(check("tokenizer_type: DeepSeekV4Tokenizer\n").rules, IsEmpty());
  EXPECT_THAT(check("tokenizer_type: Llama3Tokeniser\nmock_data: false\ndata_path: a\n").rules, ElementsAre("MG810"));
  EXPECT_THAT(check("tokenizer_type: Llama3Tokeniser\nmock_data: true\n").rules, ElementsAre("MG811"));
  EXPECT_THAT(check("fp4: e2m1\nfp4_recipe: mxfp4\n").rules, IsEmpty());
}

TEST(MegatronChoices, CheckpointFormatsStopTheFirstCheckpoint) {
  EXPECT_THAT(check("ckpt_format: torch-dist\nsave: /c\nsave_interval: 10\n").rules, ElementsAre("MG810"));
  EXPECT_THAT(check("ckpt_format: torch-dist\n").rules, ElementsAre("MG811"));
  EXPECT_THAT(check("timing_log_option: mean\n").rules, ElementsAre("MG810"));
}

constexpr const char* by_samples =
    "micro_batch_size: 1\nglobal_batch_size: 64\ntrain_samples: 100000\ntrain_iters: null\nlr_warmup_iters: 0\n"
    "lr_decay_iters: null\n";

TEST(MegatronRampUp, TakesWhatPythonsIntTakes) {
  const std::string start = by_samples;
  EXPECT_THAT(check(start + "rampup_batch_size: [\"16\", \" 16 \", 1000.0]\n").rules, IsEmpty());
  EXPECT_THAT(check(start + "rampup_batch_size: [\"16\", \"20\", \"1000\"]\n").rules, ElementsAre("MG211"))
      << "judged as numbers";
  EXPECT_THAT(check(start + "rampup_batch_size: [16.5x, 16, 1000]\n").rules, ElementsAre("MG210"));
}

TEST(MegatronRampUp, OffersTheUsersOwnNumbers) {
  const std::string start = by_samples;
  EXPECT_THAT(check(start + "rampup_batch_size: \"16, 32 2000\"\n").text, HasSubstr("[16, 32, 2000]"));
}

TEST(MegatronFp8, CountsTheTokensOfARank) {
  const std::string fp8 = "fp8: hybrid\nfp8_recipe: tensorwise\nmax_position_embeddings: 4096\n";
  EXPECT_THAT(check(fp8 + "micro_batch_size: 1\nseq_length: 1001\n").rules, ElementsAre("MG743"));
  EXPECT_THAT(check(fp8 + "micro_batch_size: 2\nseq_length: 1004\n").rules, IsEmpty());
  const std::string split = fp8 + "micro_batch_size: 1\nseq_length: 1032\ntensor_model_parallel_size: 2\n";
  EXPECT_THAT(check(split + "sequence_parallel: false\n").rules, IsEmpty());
  EXPECT_THAT(check(split + "sequence_parallel: true\n").rules, ElementsAre("MG743"));
  EXPECT_THAT(check("seq_length: 1001\nmax_position_embeddings: 4096\n").rules, IsEmpty());
}

}  // namespace
}  // namespace primus_plan
