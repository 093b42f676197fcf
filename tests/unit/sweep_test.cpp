#include "primus_plan/planner/sweep.h"

#include <gtest/gtest.h>

#include "support/loaded_run.h"

namespace primus_plan {
namespace {

std::string values_of(const std::string& text) {
  std::string out;
  for (const NodePtr& value : parse_sweep_axis(text).values) out += (out.empty() ? "" : " ") + to_text(*value);
  return out;
}

std::string refusal(const std::string& text) {
  try {
    parse_sweep_axis(text);
  } catch (const SweepError& error) {
    return error.what();
  }
  return {};
}

TEST(SweepAxis, LaunchesAreNoLargerThanRealOnes) {
  EXPECT_EQ(values_of("nodes=1048576"), "1048576");
  EXPECT_EQ(refusal("nodes=4611686018427387904"),
            "--over nodes=4611686018427387904: nodes takes whole numbers from 1 to 1048576, not 4611686018427387904");
}

TEST(SweepAxis, RangesDoubleOrAdd) {
  EXPECT_EQ(values_of("world=8:64"), "8 16 32 64");
  EXPECT_EQ(values_of("world=8:63"), "8 16 32");
  EXPECT_EQ(values_of("nodes=1:7:3"), "1 4 7");
  EXPECT_EQ(values_of("tp=4:4"), "4");
  EXPECT_EQ(values_of("gbs=1:9223372036854775807:4611686018427387904"), "1 4611686018427387905") << "no overflow";
}

TEST(SweepAxis, ListsAreYaml) {
  EXPECT_EQ(values_of("recompute_granularity=full,selective,null"), "full selective null");
  EXPECT_EQ(values_of("lr=1.0e-4,true,\"8\""), "0.0001 true \"8\"");
}

TEST(SweepAxis, RefusesWhatLeadsNowhere) {
  EXPECT_NE(refusal("tp").find("expected NAME=VALUES"), std::string::npos);
  EXPECT_NE(refusal("tp=").find("expected NAME=VALUES"), std::string::npos);
  EXPECT_NE(refusal("tp=8:1").find("a range starts at 1"), std::string::npos);
  EXPECT_NE(refusal("tp=1:8:0").find("a range starts at 1"), std::string::npos);
  EXPECT_NE(refusal("tp=a:b").find("in whole numbers"), std::string::npos);
  EXPECT_NE(refusal("tp=1,zwei").find("positive whole numbers, not zwei"), std::string::npos);
  EXPECT_NE(refusal("tp=0,1").find("positive whole numbers, not 0"), std::string::npos);
  EXPECT_NE(refusal("lr=[1").find("no YAML"), std::string::npos);
}

TEST(Sweep, DataParallelAndAccumulationFollow) {
  const test::LoadedRun run(
      test::experiment_text("megatron", "llama3.1_8B", "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: 4096"),
      8);
  const Sweep sweep = run_sweep(run.trials(), {parse_sweep_axis("tp=1,2,3"), parse_sweep_axis("world=8,16")});
  ASSERT_EQ(sweep.points.size(), 6U);
  const RunDescription& first = sweep.points[0].trial.analysis.run;
  EXPECT_EQ(first.degrees.data, 8);
  EXPECT_EQ(first.batch.accumulation_steps, 8);
  const RunDescription& fourth = sweep.points[3].trial.analysis.run;  // TP 2 on 16
  EXPECT_EQ(fourth.degrees.data, 8);
  EXPECT_EQ(fourth.launch.nodes, 2);
  EXPECT_TRUE(sweep.points[0].trial.estimate.has_value());
  EXPECT_GT(sweep.points[0].trial.estimate->step.tokens_per_second_per_gpu, 0);
}

TEST(Sweep, IllegalPointsCarryTheLetterOfTheirRules) {
  const test::LoadedRun run(
      test::experiment_text("megatron", "llama3.1_8B", "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: 4096"),
      8);
  const Sweep sweep = run_sweep(run.trials(), {parse_sweep_axis("gbs=64,65,66,67")});
  EXPECT_EQ(sweep.points[0].letter, 0);
  EXPECT_EQ(sweep.points[1].letter, 'A');
  EXPECT_EQ(sweep.points[3].letter, 'A');
  ASSERT_EQ(sweep.legend.size(), 1U);
  EXPECT_EQ(sweep.legend[0].points, 3U);
  ASSERT_FALSE(sweep.legend[0].rules.empty());
  EXPECT_EQ(sweep.legend[0].rules[0]->id, "MG203");
}

TEST(Sweep, MaxTextsBatchPerDeviceFollowsTheAskedOne) {
  const test::LoadedRun run(test::experiment_text("maxtext", "llama3_8B",
                                                  "per_device_batch_size: 2\nmax_target_length: 4096\ndataset_type: "
                                                  "synthetic"),
                            8);
  const Sweep sweep = run_sweep(run.trials(), {parse_sweep_axis("gbs=8,32"), parse_sweep_axis("tp=1,2")});
  for (const SweepPoint& point : sweep.points) {
    EXPECT_EQ(point.letter, 0);
    EXPECT_EQ(point.trial.analysis.run.batch.global, point.values[0]->integer);
    EXPECT_EQ(point.trial.analysis.run.degrees.tensor, point.values[1]->integer);
  }
}

TEST(Sweep, AnAxisTwiceAndTooManyPointsAreRefused) {
  const test::LoadedRun run(test::experiment_text("megatron", "llama3.1_8B", "micro_batch_size: 1"), 8);
  EXPECT_THROW(run_sweep(run.trials(), {parse_sweep_axis("tp=1"), parse_sweep_axis("tp=2")}), SweepError);
  EXPECT_THROW(run_sweep(run.trials(), {parse_sweep_axis("gbs=1:200:1"), parse_sweep_axis("mbs=1:200:1")}), SweepError);
}

}  // namespace
}  // namespace primus_plan
