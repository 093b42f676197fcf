// What holds of every legal run, whatever its degrees: batch, layers, groups, estimates, and plans against trying
// everything.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "planner/search.h"
#include "planner/space.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/planner/written_plan.h"

namespace primus_plan {
namespace {

struct Subject {
  const char* framework;
  const char* model;
};

const Subject subjects[] = {{"megatron", "llama2_7B"},         {"megatron", "mixtral_8x7B_v0.1"},
                            {"megatron", "deepseek_v2_lite"},  {"torchtitan", "llama3.1_8B"},
                            {"torchtitan", "deepseek_v3_16b"}, {"maxtext", "llama3_8B"},
                            {"maxtext", "mixtral_8x7B"}};

/// The experiments of the subjects, each read once.
class Library {
 public:
  Library() {
    for (const Subject& subject : subjects) {
      loaded_.push_back(loader_.load_text("e.yaml", experiment_around(subject.framework, subject.model), {}));
      prepared_.push_back(prepare(loaded_.back().experiments.at(0).modules.at(0), environment_));
    }
  }
  const Prepared& operator[](std::size_t i) const { return *prepared_[i]; }
  const Hardware& hardware() const { return hardware_; }

  /// The subject with degrees, judged: what `check` says of it.
  std::vector<Analysis> check(std::size_t subject, const CandidateOverrides& overrides, std::int64_t world) {
    ExperimentOptions options;
    options.sets = overrides;
    checked_ =
        loader_.load_text("e.yaml", experiment_around(subjects[subject].framework, subjects[subject].model), options);
    if (checked_.experiments.empty()) return {};
    return analyze(checked_.experiments[0], assume_launch(world, 8), environment_,
                   {.with_text = false, .with_workload = true});
  }
  const Module& checked_module() const { return checked_.experiments.at(0).modules.at(0); }
  const Environment& environment() const { return environment_; }

 private:
  MemoryFiles files_;
  Environment environment_;
  Loader loader_{files_, {}};
  Hardware hardware_ = find_hardware("MI300X", files_);
  std::vector<LoadResult> loaded_;
  std::vector<std::unique_ptr<Prepared>> prepared_;
  LoadResult checked_;
};

Library& library() {
  static Library all;
  return all;
}

std::int64_t power_of_two(int most) { return std::int64_t{1} << *rc::gen::inRange(0, most + 1); }

struct Drawn {
  std::size_t subject = 0;
  Candidate candidate;
  PlanTask task;
};

/// Degrees that need not go together.
Drawn draw() {
  Drawn out;
  out.subject = *rc::gen::inRange<std::size_t>(0, std::size(subjects));
  out.candidate.tensor = power_of_two(3);
  out.candidate.pipeline = power_of_two(2);
  out.candidate.context = power_of_two(1);
  out.candidate.expert = power_of_two(2);
  out.candidate.micro_batch = power_of_two(2);
  const std::int64_t data = *rc::gen::element<std::int64_t>(1, 2, 4, 8);
  out.candidate.world_size = out.candidate.tensor * out.candidate.pipeline * out.candidate.context * data;
  if (out.candidate.pipeline > 1) out.candidate.schedule = ScheduleKind::one_f_one_b;
  const std::int64_t steps = *rc::gen::inRange<std::int64_t>(1, 9);
  out.task = {.global_batch = out.candidate.micro_batch * data * steps, .sequence_length = 1024};
  return out;
}

CandidateOverrides overrides_of(const Drawn& drawn) {
  return library()[drawn.subject].candidate_overrides(drawn.candidate, drawn.task, false);
}

void check_batch(const RunDescription& run) {
  if (run.batch.accumulation_steps == 0) return;
  RC_ASSERT(run.batch.global == run.batch.micro * run.degrees.data * run.batch.accumulation_steps);
}

void check_stages(const RunDescription& run, std::int64_t layers) {
  if (run.stages.empty()) return;
  std::int64_t placed = 0;
  for (const auto& rank : run.stages) {
    for (const StageChunk& chunk : rank) placed += chunk.layers;
  }
  RC_ASSERT(placed == layers);
}

/// Kinds that leave ranks out on purpose (embeddings, say) still put none into two groups.
void check_groups(const RankLayout& layout) {
  RC_ASSERT(layout.is_placed());
  for (const GroupKind& kind : layout.groups) {
    std::vector<int> seen(static_cast<std::size_t>(layout.world_size));
    for (std::int64_t i = 0; i < kind.count(); ++i) {
      for (const std::int64_t rank : kind.group(i)) {
        RC_ASSERT(rank >= 0 && rank < layout.world_size);
        ++seen[static_cast<std::size_t>(rank)];
        const std::vector<std::int64_t> own = kind.group_of(rank);
        RC_ASSERT(own == kind.group(i));
      }
    }
    const bool is_partial = kind.name().find("embedding") != std::string::npos;
    for (const int times : seen) RC_ASSERT(times == 1 || (is_partial && times == 0));
  }
}

bool is_amount(double number) { return std::isfinite(number) && number >= 0; }

void check_estimate(const Workload& workload) {
  const Estimate estimate = estimate_run(workload, &library().hardware());
  for (const StageMemory& stage : estimate.memory.stages) {
    for (const double part : stage.parts) RC_ASSERT(is_amount(part));
    const double sum = std::accumulate(stage.parts.begin(), stage.parts.end(), 0.0);
    RC_ASSERT(std::abs(stage.device() - sum) <= 1e-6 * sum);
  }
  RC_ASSERT(estimate.memory.device.low <= estimate.memory.device.expected);
  RC_ASSERT(estimate.memory.device.expected <= estimate.memory.device.high);
  RC_ASSERT(is_amount(estimate.step.seconds));
  const double sum = std::accumulate(estimate.step.parts.begin(), estimate.step.parts.end(), 0.0);
  RC_ASSERT(std::abs(estimate.step.seconds - sum) <= 1e-6 * sum);
  Workload larger = workload;
  larger.run.batch.micro *= 2;
  const Estimate more = estimate_run(larger, &library().hardware());
  RC_ASSERT(more.memory.device.expected >= estimate.memory.device.expected);
}

RC_GTEST_PROP(Runs, LegalOnesAddUp, ()) {
  const Drawn drawn = draw();
  const CandidateOverrides overrides = overrides_of(drawn);
  for (const Analysis& analysis : library().check(drawn.subject, overrides, drawn.candidate.world_size)) {
    RC_PRE(analysis.errors == 0);
    RC_TAG(subjects[drawn.subject].framework);
    const Workload& workload = *analysis.workload;
    check_batch(analysis.run);
    check_stages(analysis.run, workload.model.layers);
    check_estimate(workload);
    const auto prepared = prepare(library().checked_module(), library().environment());
    check_groups(prepared->layout(analysis.run.launch));
  }
}

/// The judge of candidates and `check` of the same thing written down come to the same verdict.
RC_GTEST_PROP(Runs, CandidatesAreJudgedAsTheyWouldBeWritten, ()) {
  Drawn drawn = draw();
  const Prepared& prepared = library()[drawn.subject];
  const Analysis base =
      prepared.decide(assume_launch(drawn.candidate.world_size, 8), {.with_text = false, .with_workload = true});
  RC_PRE(base.workload != nullptr);
  drawn.task.layers = base.workload->model.layers;
  drawn.task.mtp_layers = base.workload->model.mtp_depth;
  Workload workload;
  const CandidateVerdict verdict = prepared.candidate_judge(drawn.task)->judge(drawn.candidate, workload);
  const std::vector<Analysis> written = library().check(drawn.subject, overrides_of(drawn), drawn.candidate.world_size);
  RC_ASSERT(written.size() == 1U);
  RC_ASSERT((written[0].errors == 0) == (verdict.errors == 0));
  if (verdict.errors > 0) return;
  RC_ASSERT(workload.run.degrees.data == written[0].run.degrees.data);
  RC_ASSERT(workload.run.batch.accumulation_steps == written[0].run.batch.accumulation_steps);
}

/// In small spaces that are cut out at random.
RC_GTEST_PROP(Runs, PlansAreTheBestOfAll, ()) {
  const std::size_t subject = *rc::gen::inRange<std::size_t>(0, std::size(subjects));
  const Prepared& prepared = library()[subject];
  PlanRequest request;
  request.worlds = {8};
  request.hardware = library().hardware();
  request.hardware.memory_bytes *= *rc::gen::element(0.25, 0.5, 1.0);
  request.task = {.global_batch = *rc::gen::element<std::int64_t>(16, 32, 48), .sequence_length = 2048};
  request.allowed = {{PlanAxis::context, {1}},
                     {PlanAxis::chunks, {1}},
                     {PlanAxis::replicas, {1}},
                     {PlanAxis::tensor, {power_of_two(1), 4}},
                     {PlanAxis::micro_batch, {1, power_of_two(2)}}};
  const Analysis base = prepared.decide(assume_launch(8, 8), {.with_text = false, .with_workload = true});
  RC_PRE(base.workload != nullptr);
  request.task.layers = base.workload->model.layers;
  request.task.mtp_layers = base.workload->model.mtp_depth;
  const PlanSubject known{base.workload->model, prepared.plan_knobs()};
  const std::vector<PlanGroup> groups = plan_groups(known, request);
  const SearchOutcome pruned = search(prepared, known, request, groups, {});
  const SearchOutcome brute = search(prepared, known, request, groups, {}, {.prune = false});
  RC_ASSERT(pruned.points.size() == brute.points.size());
  for (std::size_t i = 0; i < brute.points.size(); ++i) {
    RC_ASSERT(pruned.points[i].candidate == brute.points[i].candidate);
    RC_ASSERT(is_amount(brute.points[i].seconds));
    RC_ASSERT(brute.points[i].memory.expected <= request.hardware.memory_bytes);
  }
}

}  // namespace
}  // namespace primus_plan
