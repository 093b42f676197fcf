#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "planner/search.h"
#include "planner/space.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/written_plan.h"

namespace primus_plan {
namespace {

struct Case {
  const char* framework;
  const char* model;
  std::int64_t world;
  std::int64_t global_batch;
  std::int64_t sequence;
  const char* more = "";  ///< lines of overrides
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.framework) + "_" + info.param.model;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

std::string experiment_of(const Case& c) { return experiment_around(c.framework, c.model) + c.more; }

class Candidates : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& c = GetParam();
    loaded_ = loader_.load_text("e.yaml", experiment_of(c), {});
    ASSERT_FALSE(loaded_.experiments.empty());
    prepared_ = prepare(loaded_.experiments[0].modules[0], environment_);
    ASSERT_NE(prepared_, nullptr);
    request_.worlds = {c.world};
    request_.task = {.global_batch = c.global_batch, .sequence_length = c.sequence};
    request_.hardware = find_hardware("MI300X", files_);
    const Analysis base = prepared_->decide(assume_launch(c.world, 8), {.with_text = false, .with_workload = true});
    ASSERT_NE(base.workload, nullptr);
    subject_ = {base.workload->model, prepared_->plan_knobs()};
    request_.task.layers = subject_.model.layers;
    request_.task.mtp_layers = subject_.model.mtp_depth;
  }

  /// Candidates drawn from the whole space, the same ones every time.
  std::vector<Candidate> draw(std::size_t count) const {
    const std::vector<PlanGroup> groups = plan_groups(subject_, request_);
    std::mt19937 random(20260801);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    std::vector<Candidate> out;
    for (std::size_t i = 0; i < count; ++i) {
      const PlanGroup& group = groups[below(groups.size())];
      Candidate c = group.base;
      const auto micro = micro_batches(group, request_);
      const auto recompute = recompute_choices(group, subject_, request_);
      c.micro_batch = micro[below(micro.size())];
      const RecomputeChoice& choice = recompute[below(recompute.size())];
      c.recompute = choice.level;
      c.recompute_layers = choice.layers;
      // Every other one as the experiment has it: what the last candidate turned must be turned back.
      if (i % 2 == 1) c.precision = static_cast<PlanPrecision>(i / 2 % 4);
      out.push_back(c);
    }
    return out;
  }

  Analysis by_overrides(const Candidate& candidate, LoadResult& loaded) const {
    ExperimentOptions options;
    options.sets = prepared_->candidate_overrides(candidate, request_.task, false);
    loaded = loader_.load_text("e.yaml", experiment_of(GetParam()), options);
    EXPECT_FALSE(loaded.experiments.empty());
    const auto prepared = prepare(loaded.experiments.at(0).modules.at(0), environment_);
    return prepared->decide(assume_launch(candidate.world_size, 8), {.with_text = true, .with_workload = true});
  }

  MemoryFiles files_;
  Environment environment_;
  Loader loader_{files_, {}};
  LoadResult loaded_;
  std::unique_ptr<Prepared> prepared_;
  PlanRequest request_;
  PlanSubject subject_;
};

TEST_P(Candidates, OverridesAndTheFastPathAreOneRun) {
  const auto judge = prepared_->candidate_judge(request_.task);
  std::size_t legal = 0;
  for (const Candidate& candidate : draw(300)) {
    SCOPED_TRACE(layout_text(candidate) + ", " + settings_text(candidate, false));
    Workload workload;
    const CandidateVerdict verdict = judge->judge(candidate, workload);
    LoadResult loaded;
    const Analysis slow = by_overrides(candidate, loaded);
    std::string first;
    for (const Finding& finding : slow.findings) {
      if (first.empty() && finding.severity == Severity::error) first = finding.message;
    }
    ASSERT_EQ(verdict.errors > 0, slow.errors > 0)
        << (verdict.first_error != nullptr ? verdict.first_error->id : "none") << " against " << first;
    if (slow.errors > 0) continue;
    ++legal;
    EXPECT_EQ(verdict.warnings, slow.warnings);
    ASSERT_NE(slow.workload, nullptr);
    EXPECT_EQ(workload.run.degrees.data, slow.run.degrees.data);
    EXPECT_EQ(workload.run.degrees.tensor, candidate.tensor);
    EXPECT_EQ(workload.run.degrees.pipeline, candidate.pipeline);
    EXPECT_EQ(workload.run.degrees.context, candidate.context);
    EXPECT_EQ(workload.run.degrees.virtual_pipeline, candidate.chunks);
    EXPECT_EQ(workload.run.batch.global, request_.task.global_batch);
    EXPECT_EQ(slow.workload->run.batch.micro, candidate.micro_batch);
    EXPECT_EQ(workload.run.batch.micro, slow.workload->run.batch.micro);
    EXPECT_EQ(workload.run.batch.accumulation_steps, slow.run.batch.accumulation_steps);
    const PlanPoint fast_point = point_of(workload, request_.hardware);
    const PlanPoint slow_point = point_of(*slow.workload, request_.hardware);
    EXPECT_EQ(fast_point.memory.expected, slow_point.memory.expected);
    EXPECT_EQ(fast_point.seconds, slow_point.seconds);
  }
  EXPECT_GE(legal, 10U);
}

INSTANTIATE_TEST_SUITE_P(Backends, Candidates,
                         testing::Values(Case{"megatron", "llama3.1_70B", 64, 512, 8192},
                                         Case{"megatron", "deepseek_v3", 128, 1024, 4096},
                                         Case{"megatron", "llama3.1_8B", 16, 128, 8192,
                                              "      fp8: hybrid\n      fp8_recipe: tensorwise\n"
                                              "      fp8_param_gather: true\n      tp_comm_overlap: true\n"
                                              "      tp_comm_overlap_rs: false\n      tp_comm_bulk_dgrad: false\n"
                                              "      tp_comm_bulk_wgrad: false\n"},
                                         Case{"torchtitan", "llama3.1_70B", 64, 512, 8192},
                                         Case{"torchtitan", "deepseek_v3_16b", 16, 128, 4096},
                                         Case{"maxtext", "llama3_70B", 64, 512, 8192},
                                         Case{"maxtext", "mixtral_8x7B", 32, 128, 4096}),
                         case_name);

}  // namespace
}  // namespace primus_plan
