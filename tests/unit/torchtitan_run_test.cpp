// What TorchTitan makes of a config, and the words of its findings.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

std::vector<Analysis> check(const std::string& yaml, std::int64_t world, const Environment& environment = {}) {
  const MemoryFiles files;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("exp.yaml", yaml, {});
  std::vector<Analysis> out;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch({.world_size = world, .nodes = {}, .gpus_per_node = {}}, environment, experiment.pragma);
    for (Analysis& analysis : analyze(experiment, launch, environment, {})) {
      for (Finding& finding : analysis.findings) finding.primary = {};  // the texts they point into end here
      out.push_back(std::move(analysis));
    }
  }
  return out;
}

const Finding* find(const Analysis& analysis, std::string_view name) {
  const auto found = std::find_if(analysis.findings.begin(), analysis.findings.end(),
                                  [&](const Finding& finding) { return finding.rule->name == name; });
  return found == analysis.findings.end() ? nullptr : &*found;
}

constexpr const char* guide_snippet =
    "parallelism:\n  tensor_parallel_degree: 4\n  pipeline_parallel_degree: 2\n  data_parallel_replicate_degree: 1\n"
    "  data_parallel_shard_degree: -1\n  expert_parallel_degree: 1\n  context_parallel_degree: 1\n"
    "  pipeline_parallel_schedule: 1F1B\n  pipeline_parallel_microbatch_size: 1\n  enable_async_tensor_parallel: "
    "false\n"
    "training:\n  global_batch_size: 256\n  local_batch_size: 4\n";

TEST(TorchTitanRun, TheGuidesSnippetRunsWithoutMixedPrecision) {
  const auto analyses = check(guide_snippet, 8);
  ASSERT_EQ(analyses.size(), 1U);
  const Analysis& analysis = analyses.front();
  EXPECT_EQ(analysis.errors, 0U);
  EXPECT_EQ(analysis.warnings, 1U);
  ASSERT_NE(find(analysis, "mixed-precision-off"), nullptr);
  EXPECT_NE(find(analysis, "mixed-precision-off")->message.find("TP 4 and PP 2"), std::string::npos);
  EXPECT_EQ(analysis.run.degrees.data, 1);
  EXPECT_EQ(analysis.run.batch.accumulation_steps, 64);
  EXPECT_EQ(analysis.run.batch.pipeline_micro_batches, 4);
}

TEST(TorchTitanRun, DefaultsAreThoseOfTheGuide) {
  const auto analyses = check("parallelism:\n  tensor_parallel_degree: 1\n", 8);
  ASSERT_EQ(analyses.size(), 1U);
  const RunDescription& run = analyses.front().run;
  EXPECT_EQ(run.degrees.pipeline, 1);
  EXPECT_EQ(run.degrees.context, 1);
  EXPECT_EQ(run.degrees.expert, 1);
  EXPECT_EQ(run.degrees.data_replicate, 1);
  EXPECT_EQ(run.degrees.data_shard, 8);  // -1, resolved
  EXPECT_EQ(run.batch.micro, 8);
  EXPECT_EQ(run.batch.global, 64);  // -1: local x replicate x shard, exactly
  EXPECT_EQ(run.batch.accumulation_steps, 1);
}

TEST(TorchTitanRun, RewritesSayWhy) {
  const auto analyses = check("parallelism:\n  tensor_parallel_degree: 2\n", 8);
  ASSERT_EQ(analyses.size(), 1U);
  const auto& rewrites = analyses.front().rewrites;
  const auto shard = std::find_if(rewrites.begin(), rewrites.end(), [](const Rewrite& rewrite) {
    return rewrite.key == "parallelism.data_parallel_shard_degree";
  });
  ASSERT_NE(shard, rewrites.end());
  EXPECT_EQ(shard->from, "-1");
  EXPECT_EQ(shard->to, "4");
}

TEST(TorchTitanRun, LegalWorldsFollowTheExpertMesh) {
  const std::string yaml =
      "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n  pipeline_parallel_degree: 2\n  "
      "expert_parallel_degree: 8\n";
  const auto analyses = check(yaml, 8);
  ASSERT_EQ(analyses.size(), 1U);
  EXPECT_NE(find(analyses.front(), "expert-mesh-uneven"), nullptr);
  ASSERT_FALSE(analyses.front().legal_worlds.empty());
  EXPECT_EQ(analyses.front().legal_worlds.front().world_size, 16);
}

TEST(TorchTitanRun, ListedHardwareAllowsMx) {
  const std::string yaml =
      "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.mx]\ntraining:\n  seq_len: 2048\n";
  EXPECT_EQ(check(yaml, 8).at(0).errors, 1U);
  Environment environment;
  environment.set("PYTORCH_ROCM_ARCH", "gfx942;gfx950");
  EXPECT_EQ(check(yaml, 8, environment).at(0).errors, 0U);
  const auto split = check(yaml + "parallelism:\n  tensor_parallel_degree: 2\n", 8, environment);
  ASSERT_NE(find(split.at(0), "mx-linear-not-possible"), nullptr);
  EXPECT_NE(find(split.at(0), "mx-linear-not-possible")->message.find("TP 2"), std::string::npos);
}

TEST(TorchTitanRun, SimulatedWorldIsJudged) {
  Environment environment;
  environment.set("NGPU", "32");
  const auto analyses =
      check("comm:\n  mode: fake_backend\nparallelism:\n  tensor_parallel_degree: 8\n", 8, environment);
  ASSERT_EQ(analyses.size(), 1U);
  EXPECT_EQ(analyses.front().run.degrees.data, 4);
  EXPECT_NE(find(analyses.front(), "simulated-world-differs"), nullptr);
}

}  // namespace
}  // namespace primus_plan
