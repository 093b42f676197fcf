// What a TorchTitan run divides its steps by, and where it stops for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/loaded_run.h"

namespace primus_plan::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Errors and warnings of these sections.
std::set<std::string_view> rules_of(const std::string& sections) {
  const LoadedRun run("model: {name: llama3, flavor: 8B}\n" + sections, 8);
  std::set<std::string_view> out;
  for (const Finding& finding : run.analysis().findings) {
    if (finding.severity != Severity::note) out.insert(finding.rule->id);
  }
  return out;
}

TEST(TorchTitanCheckpoints, AreJudgedWhereTheyAreOn) {
  EXPECT_THAT(rules_of("checkpoint: {enable: false, keep_latest_k: 1, async_mode: x, export_dtype: y}\n"), IsEmpty());
  EXPECT_THAT(rules_of("checkpoint: {enable: true, keep_latest_k: 1, async_mode: x, export_dtype: y}\n"),
              ElementsAre("TT561", "TT562", "TT563"));
  EXPECT_THAT(rules_of("checkpoint: {enable: true, keep_latest_k: 0, async_mode: ASYNC}\n"), IsEmpty());
}

TEST(TorchTitanCheckpoints, DivideOnlyStepsThatAskTheInterval) {
  const std::string lr = "lr_scheduler: {warmup_steps: 0}\n";
  EXPECT_THAT(rules_of(lr + "checkpoint: {enable: true, interval: 0}\ntraining: {steps: 1}\n"), IsEmpty());
  EXPECT_THAT(rules_of(lr + "checkpoint: {enable: true, interval: 0}\ntraining: {steps: 2}\n"), ElementsAre("TT564"));
  EXPECT_THAT(rules_of(lr + "checkpoint: {enable: true, interval: 0, enable_first_step_checkpoint: true}\n"
                            "training: {steps: 2}\n"),
              IsEmpty());
  EXPECT_THAT(rules_of(lr + "checkpoint: {enable: true, interval: 0, load_only: true}\ntraining: {steps: 9}\n"),
              IsEmpty());
}

TEST(TorchTitanOptimizer, NumbersAreThoseThatTorchTakes) {
  for (const char* numbers : {"lr: -1.0e-4", "beta1: 1.0", "beta2: -0.1", "eps: -1.0e-8", "weight_decay: -0.1"}) {
    EXPECT_THAT(rules_of("optimizer: {" + std::string(numbers) + "}\n"), ElementsAre("TT554")) << numbers;
  }
  EXPECT_THAT(rules_of("optimizer: {lr: 0.0, beta1: 0.0, beta2: 0.0, eps: 0.0, weight_decay: 0.0}\n"), IsEmpty());
}

TEST(TorchTitanOptimizer, ClippingHasNoZero) {
  EXPECT_THAT(rules_of("training: {max_norm: 0}\n"), ElementsAre("TT268"));
  EXPECT_THAT(rules_of("training: {max_norm: -1.0}\n"), ElementsAre("TT268"));
  EXPECT_THAT(rules_of("training: {max_norm: 1.0e+9}\n"), IsEmpty());
}

TEST(TorchTitanProfiler, NeedsItsWindow) {
  EXPECT_THAT(rules_of("profiling: {enable_profiling: true, profile_freq: 3}\n"), ElementsAre("TT264"));
  EXPECT_THAT(rules_of("profiling: {enable_profiling: true, profile_freq: 3, profiler_warmup: 2}\n"), IsEmpty());
  EXPECT_THAT(rules_of("profiling: {enable_profiling: true, profiler_active: 0}\n"), ElementsAre("TT264"));
  EXPECT_THAT(rules_of("profiling: {enable_profiling: false, profile_freq: 3}\n"), IsEmpty());
}

TEST(TorchTitanCurve, AsksForTheDecayOnlyOnceItBegins) {
  const std::string unknown = "lr_scheduler: {decay_type: cosin, ";
  EXPECT_THAT(rules_of(unknown + "warmup_steps: 10}\ntraining: {steps: 100}\n"), ElementsAre("TT267"));
  EXPECT_THAT(rules_of(unknown + "warmup_steps: 10, decay_ratio: 0.0}\ntraining: {steps: 100}\n"), IsEmpty());
  EXPECT_THAT(rules_of(unknown + "warmup_steps: 10, total_steps: 200, decay_ratio: 0.5}\ntraining: {steps: 100}\n"),
              IsEmpty());
  EXPECT_THAT(rules_of(unknown + "warmup_steps: 10, total_steps: 200, decay_ratio: 0.5}\ntraining: {steps: 101}\n"),
              ElementsAre("TT267"));
}

TEST(TorchTitanCurve, CutsWarmupsThatAreLongerThanTheSchedule) {
  EXPECT_THAT(rules_of("lr_scheduler: {warmup_steps: 100}\ntraining: {steps: 100}\n"), IsEmpty());
  EXPECT_THAT(rules_of("lr_scheduler: {warmup_steps: 101}\ntraining: {steps: 100}\n"), ElementsAre("TT266"));
  EXPECT_THAT(rules_of("lr_scheduler: {warmup_steps: 101, total_steps: 200}\ntraining: {steps: 100}\n"), IsEmpty());
}

}  // namespace
}  // namespace primus_plan::test
