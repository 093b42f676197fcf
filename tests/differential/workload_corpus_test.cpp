// Every example of Primus becomes a workload with numbers that can be right, or names the fact that is missing.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/flops.h"
#include "primus_plan/run/workload.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

struct Tally {
  int known = 0;
  int unknown = 0;
  std::map<std::string, int> missing;
};

void expect_sane_layers(const ModelShape& model) {
  std::int64_t layers = 0;
  for (const LayerKind& kind : model.kinds) {
    EXPECT_GT(kind.count, 0);
    EXPECT_GE(kind.window, 0);
    if (kind.feed_forward == FeedForward::dense) {
      EXPECT_GT(model.ffn, 0);
    }
    if (kind.feed_forward == FeedForward::experts) {
      EXPECT_GT(model.experts, 1);
      EXPECT_GT(model.expert_ffn, 0);
      EXPECT_GE(model.experts_per_token, 1);
    }
    layers += kind.count;
  }
  EXPECT_EQ(layers, model.layers);
}

void expect_sane(const Workload& workload) {
  const ModelShape& model = workload.model;
  EXPECT_GT(model.layers, 0);
  EXPECT_GT(model.hidden, 0);
  EXPECT_GE(model.padded_vocabulary, model.vocabulary);
  expect_sane_layers(model);
  EXPECT_GT(workload.recompute.kept_share, 0);
  EXPECT_LE(workload.recompute.kept_share, 1);
  EXPECT_GE(workload.sharding.dense_shards, 1);
  EXPECT_GE(workload.sharding.expert_shards, 1);
  EXPECT_GT(workload.run.batch.micro, 0);
  EXPECT_GT(workload.run.batch.sequence_length, 0);
  std::int64_t staged = 0;
  for (const auto& chunks : workload.run.stages) {
    for (const StageChunk& chunk : chunks) staged += chunk.layers;
  }
  EXPECT_EQ(staged, model.layers);
  const FlopsEstimate flops = estimate_flops(workload);
  EXPECT_TRUE(std::isfinite(flops.common_per_token));
  EXPECT_GT(flops.common_per_token, 0);
  EXPECT_GT(flops.tokens_per_step, 0);
  // The two counts differ by attention's other half, padding and what a framework leaves out. Megatron takes models
  // without attention for transformers unless a hybrid_layer_pattern says what their layers are.
  if (flops.counted_per_token > 0) {
    EXPECT_LT(flops.common_per_token, 1.2 * flops.counted_per_token);
    EXPECT_GT(flops.common_per_token, 0.3 * flops.counted_per_token);
  }
}

void check(const Analysis& analysis, Tally& out) {
  if (analysis.verdict == Verdict::not_checked) return;
  SCOPED_TRACE(analysis.path);
  if (analysis.errors > 0) return;  // it does not start: nothing to estimate
  ASSERT_NE(analysis.workload, nullptr);
  const Workload& workload = *analysis.workload;
  if (workload.unknown.empty()) {
    ++out.known;
    expect_sane(workload);
    return;
  }
  ++out.unknown;
  for (const std::string_view word : workload.unknown) ++out.missing[std::string(word)];
}

void run_over(const std::string& framework) {
  const fs::path folder = test::corpus_dir() / "primus" / "examples" / framework;
  if (!fs::exists(folder)) GTEST_SKIP() << "no examples in " << folder;
  const DiskFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  ExperimentOptions options;
  options.primus_root = (test::corpus_dir() / "primus").string();
  Tally tally;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const LoadResult loaded = loader.load(entry.path().string(), options);
    for (const Experiment& experiment : loaded.experiments) {
      const Launch launch = find_launch({}, environment, experiment);
      for (const Analysis& analysis : analyze(experiment, launch, environment, {.with_workload = true})) {
        check(analysis, tally);
      }
    }
  }
  fmt::print("{}: {} examples with all facts, {} without some\n", framework, tally.known, tally.unknown);
  for (const auto& [fact, count] : tally.missing) fmt::print("  {} x {}\n", count, fact);
  EXPECT_GT(tally.known, 20);
}

TEST(WorkloadOfExamples, TorchTitan) { run_over("torchtitan"); }
TEST(WorkloadOfExamples, MaxText) { run_over("maxtext"); }
TEST(WorkloadOfExamples, Megatron) { run_over("megatron"); }

}  // namespace
}  // namespace primus_plan
