// The finer conditions of the rules about the learning-rate schedule, words and ranges, beyond their examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/loaded_run.h"

namespace primus_plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Errors and warnings of Megatron's rules for these keys over the built-in presets.
std::set<std::string> rules_of(const std::string& keys) {
  const test::LoadedRun run("num_layers: 24\n" + keys, 8);
  std::set<std::string> out;
  for (const Finding& finding : run.analysis().findings) {
    if (finding.severity != Severity::note && finding.rule->id.starts_with("MG")) out.emplace(finding.rule->id);
  }
  return out;
}

TEST(MegatronSchedule, CountsInWhatTrainingCounts) {
  const std::string samples = "train_samples: 100000\ntrain_iters: null\nlr_warmup_iters: 0\nlr_decay_iters: null\n";
  EXPECT_THAT(rules_of(samples + "lr_decay_style: WSD\nlr_wsd_decay_iters: 10\n"), ElementsAre("MG237"));
  EXPECT_THAT(rules_of(samples + "lr_decay_style: WSD\nlr_wsd_decay_samples: 1000\n"), IsEmpty());
  EXPECT_THAT(rules_of(samples + "lr_decay_samples: 0\n"), ElementsAre("MG238"));
  EXPECT_THAT(rules_of("train_iters: -5\n"), ElementsAre("MG238"));
}

TEST(MegatronSchedule, WarmUpIsAShareBelowOne) {
  const std::string share = "lr_warmup_iters: 0\nlr_warmup_fraction: ";
  EXPECT_THAT(rules_of(share + "1.0\n"), ElementsAre("MG225"));
  EXPECT_THAT(rules_of(share + "0.99\n"), IsEmpty());
}

TEST(MegatronSchedule, RatesAndDecaysStayInRange) {
  EXPECT_THAT(rules_of("min_lr: -1.0e-6\n"), ElementsAre("MG239"));
  EXPECT_THAT(rules_of("lr: 1.0e-4\nmin_lr: 0.0\nlr_warmup_init: 1.0e-4\n"), IsEmpty()) << "not above lr";
  EXPECT_THAT(rules_of("weight_decay: -0.1\n"), ElementsAre("MG528"));
  const std::string grows = "weight_decay_incr_style: linear\nend_weight_decay: 0.1\nstart_weight_decay: ";
  EXPECT_THAT(rules_of(grows + "0.1\n"), IsEmpty());
  EXPECT_THAT(rules_of(grows + "-0.1\n"), ElementsAre("MG528"));
}

TEST(MegatronWords, EnumsAndBackendsAreRefusedAtTheStart) {
  EXPECT_THAT(rules_of("rerun_mode: report_stats\n"), ElementsAre("MG810")) << "declared, and no member";
  EXPECT_THAT(rules_of("rerun_mode: report_determinism_stats\n"), IsEmpty());
  EXPECT_THAT(rules_of("error_injection_type: none\n"), ElementsAre("MG810"));
  EXPECT_THAT(rules_of("distributed_backend: rccl\n"), ElementsAre("MG810"));
  EXPECT_THAT(rules_of("distributed_backend: cpu:gloo,cuda:nccl\n"), IsEmpty());
  const std::string curve = "lr_wsd_decay_iters: 10\nlr_wsd_decay_style: steep\nlr_decay_style: ";
  EXPECT_THAT(rules_of(curve + "WSD\n"), ElementsAre("MG810"));
  EXPECT_THAT(rules_of(curve + "cosine\n"), ElementsAre("MG811")) << "never reached";
}

TEST(MegatronRanges, HoldWhereTheNumberIsUsed) {
  for (const char* key :
       {"attention_dropout: 1.5\n", "hidden_dropout: -0.1\n", "init_method_std: -0.02\n", "num_workers: -1\n",
        "embedding_init_method_std: -1.0\n", "manual_gc: true\nmanual_gc_interval: -1\n"}) {
    EXPECT_THAT(rules_of(key), ElementsAre("MG814")) << key;
  }
  EXPECT_THAT(rules_of("manual_gc: false\nmanual_gc_interval: -1\n"), IsEmpty());
  EXPECT_THAT(rules_of("hidden_dropout: 1.0\ninit_method_std: 0.0\nnum_workers: 0\n"), IsEmpty());
  EXPECT_THAT(rules_of("distributed_timeout_minutes: null\n"), ElementsAre("MG809"));
}

TEST(MegatronData, DiffusionModelsBringTheirOwnLoader) {
  EXPECT_THAT(rules_of("dataloader_type: external\n"), ElementsAre("MG240"));
  EXPECT_THAT(rules_of("dataloader_type: external\nmodel_type: flux_schnell\n"), IsEmpty());
  EXPECT_THAT(rules_of("dataloader_type: external\nstage: sft\n"), IsEmpty());
}

TEST(MegatronSaving, TheLastStepSavesTooUnlessItIsSwitchedOff) {
  const std::string keys =
      "async_save: true\nuse_persistent_ckpt_worker: true\nsave: /c\ntrain_iters: 100\nckpt_format: ";
  const std::string never = "disable_last_saving: true\n";
  for (const char* interval : {"10", "100", "101"}) {
    const std::string every = std::string("torch\nsave_interval: ") + interval + "\n";
    EXPECT_THAT(rules_of(keys + every), ElementsAre("MG769")) << interval;
    const std::set<std::string> without = rules_of(keys + every + never);
    EXPECT_EQ(without.contains("MG769"), std::string_view(interval) == "10") << interval;
  }
  EXPECT_THAT(rules_of(keys + "torch_dcp\nsave_interval: 10\n"), testing::Contains("MG769"));
  EXPECT_THAT(rules_of(keys + "torch_dist\nsave_interval: 10\n"), IsEmpty());
  const std::string unknown = "save: /c\ntrain_iters: 100\nsave_interval: 100\nckpt_format: zarr\n";
  EXPECT_THAT(rules_of(unknown), testing::Contains("MG810"));
  EXPECT_THAT(rules_of(unknown + never), testing::Not(testing::Contains("MG810"))) << "nothing is ever written";
}

TEST(MegatronNull, StopsWhereSomethingComputesWithIt) {
  for (const char* key :
       {"lr_warmup_iters: null\n", "lr_warmup_samples: null\n", "lr_warmup_iters: null\nlr_warmup_fraction: 0.1\n",
        "eval_interval: null\neval_iters: 10\n"}) {
    EXPECT_THAT(rules_of(key), ElementsAre("MG809")) << key;
  }
  EXPECT_THAT(rules_of("eval_interval: null\neval_iters: 0\n"), IsEmpty());
  for (const char* key :
       {"lr_decay_style: null\n", "rerun_mode: null\n", "error_injection_type: ~\n", "normalization: null\n",
        "lr_decay_style: WSD\nlr_wsd_decay_iters: 9\nlr_wsd_decay_style: null\n"}) {
    EXPECT_THAT(rules_of(key), testing::Contains("MG810")) << key;
  }
  EXPECT_THAT(rules_of("lr_wsd_decay_style: null\ndistributed_backend: null\n"), IsEmpty());
}

}  // namespace
}  // namespace primus_plan
