#include "planner/planned_experiment.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "planner/rank.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/written_plan.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_plans = 5;  // of different layouts, that are tried in full
/// Of a step: every number of replicas divides them, and pipelines have micro-batches enough.
constexpr std::int64_t samples_of_gpu = 8;

/// A text as the planner reads it.
class Draft {
 public:
  Draft(const Making& making, std::string text)
      : text_(std::move(text)), loaded_(making.loader.load_text("new.yaml", text_, making.options)) {
    if (!loaded_.errors.empty() || loaded_.experiments.empty() || loaded_.experiments.front().modules.empty()) return;
    prepared_ = prepare(module(), making.loader.environment());
  }

  /// Null where the text cannot be planned for.
  const Prepared* prepared() const { return prepared_.get(); }
  /// The text that asks for a candidate; empty where a key cannot be edited.
  std::string with(const Candidate& candidate, const PlanTask& task) const {
    const auto overrides = prepared_->candidate_overrides(candidate, task, false);
    WrittenPlan written = write_plan_into(text_, module().name, false, overrides);
    return written.left_out.empty() ? std::move(written.text) : std::string();
  }

 private:
  const Module& module() const { return loaded_.experiments.front().modules.front(); }

  std::string text_;
  LoadResult loaded_;
  std::unique_ptr<Prepared> prepared_;
};

std::int64_t planned_batch(const GuessTask& task) { return saturating_multiply(task.gpus, samples_of_gpu); }

/// What the planner is to turn: nothing is split in it. With `context`, the keys beside it allow context parallel.
FirstGuess seed(const GuessTask& task, std::int64_t context) {
  return {.context = context, .shards = task.gpus, .data = task.gpus / context, .global_batch = planned_batch(task)};
}

PlanRequest request_for(const Making& making) {
  PlanRequest out;
  out.worlds = {making.task.gpus};
  out.task.global_batch = planned_batch(making.task);
  out.task.sequence_length = making.task.sequence_length;
  out.task.gpus_per_node = making.task.gpus_per_node;
  out.hardware = making.request.hardware;
  out.top = most_plans;
  out.jobs = making.request.jobs;
  out.look_further = false;
  return out;
}

/// Whether the same layout fits with less recompute, too.
bool can_do_without(const PlanPoint& point, const PlanResult& result) {
  return std::ranges::any_of(result.points, [&](const PlanPoint& other) {
    return same_layout(other.candidate, point.candidate) && other.candidate.recompute != RecomputeLevel::full &&
           other.candidate.micro_batch == point.candidate.micro_batch;
  });
}

FirstGuess guess_of(const PlanPoint& point, const PlanResult& result) {
  const Candidate& c = point.candidate;
  FirstGuess out;
  out.tensor = c.tensor;
  out.pipeline = c.pipeline;
  out.context = c.context;
  out.expert = c.expert;
  out.data = data_parallel(c);
  out.shards = c.sharding == StateSharding::none ? 1 : out.data * c.context / c.replicas;
  out.micro_batch = c.micro_batch;
  out.recompute = c.recompute == RecomputeLevel::full;
  out.recompute_is_choice = out.recompute && can_do_without(point, result);
  out.bytes = point.memory.expected;
  out.fits = true;
  return out;
}

/// The text of a plan with a global batch, tried.
void try_batch(const Making& making, PlanTask plan_task, const Candidate& candidate, FirstGuess guess, Tried& out) {
  GuessTask task = making.task;
  if (candidate.sharding == StateSharding::weights) task.state = StateLayout::weight_shards;
  plan_task.global_batch = guess.global_batch;
  const auto written = [&] {
    const Draft draft(making, experiment_text(making.request, task, guess));
    return draft.prepared() == nullptr ? std::string() : draft.with(candidate, plan_task);
  };
  std::string text = written();
  if (text.empty()) return;
  const Attempt attempt = try_out(making, text);
  if (!out.is_better(weight_of(attempt))) return;
  out.weight = weight_of(attempt);
  if (attempt.bytes > 0 && attempt.bytes != guess.bytes) {
    guess.bytes = attempt.bytes;
    text = written();
  }
  out.best = {.text = std::move(text), .reason = attempt.message};
}

/// With the batch that a first guess has; the one that was planned with where that is no better.
void try_plan(const Making& making, const PlanTask& plan_task, const PlanPoint& point, const PlanResult& result,
              Tried& out) {
  FirstGuess guess = guess_of(point, result);
  guess.global_batch = usual_batch(making.task, guess);
  try_batch(making, plan_task, point.candidate, guess, out);
  guess.global_batch = plan_task.global_batch;
  try_batch(making, plan_task, point.candidate, guess, out);
}

/// The rule that turns down most candidates, as a reason.
std::string most_frequent(const Rejections& rejections) {
  const auto most = std::ranges::max_element(rejections.by_rule, {},
                                             [](const auto& rule_and_count) { return rule_and_count.second; });
  if (most == rejections.by_rule.end()) return {};
  return fmt::format("{} refuses most of them. {}", most->first->id, most->first->summary);
}

}  // namespace

void try_plans(const Making& making, Tried& out) {
  const GuessTask& task = making.task;
  const PlanRequest request = request_for(making);
  // Keys that context parallel needs cost speed without it: it is turned to where nothing else fits.
  for (const std::int64_t context : {1, 2}) {
    if (context > 1 && (!task.context_needs_keys || task.gpus % context != 0)) continue;
    const Draft draft(making, experiment_text(making.request, task, seed(task, context)));
    if (draft.prepared() == nullptr) return;
    const PlanResult result = make_plan(*draft.prepared(), request);
    for (const ProposedPlan& plan : result.plans) {
      if (out.weight != 0) try_plan(making, request.task, plan.point, result, out);
    }
    if (out.weight) return;
    if (result.has_least_memory) out.add_need(result.least_memory.memory.expected);
    const std::string refusal =
        result.trouble.empty() ? most_frequent(result.rejections) : fmt::format("plan says: {}", result.trouble);
    if (!refusal.empty()) out.refusal = refusal;
  }
}

}  // namespace primus_plan
