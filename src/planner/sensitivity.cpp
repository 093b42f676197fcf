#include "planner/sensitivity.h"

#include <algorithm>

#include "estimate/pipeline_orders.h"
#include "planner/play_leaders.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

using Int = std::int64_t;

/// The values that an axis has around a candidate, in order: numbers ascending, others as the backend has them.
std::vector<Int> values_on(PlanAxis axis, const Candidate& winner, const PlanSubject& subject,
                           const PlanRequest& request) {
  const PlanGroup group{.base = winner, .first = 0};
  const Int layers = pipelined_layers(subject);
  std::vector<Int> out;
  if (!can_turn(subject.knobs, axis)) return out;
  switch (axis) {
    case PlanAxis::micro_batch:
      return micro_batches(group, request);
    case PlanAxis::chunks:
      for (Int chunks = 1; winner.pipeline > 1 && winner.pipeline * chunks <= layers; ++chunks)
        if (layers % (winner.pipeline * chunks) == 0 && takes_chunks(subject, winner.pipeline, chunks))
          out.push_back(chunks);
      return out;
    case PlanAxis::recompute:
      for (const RecomputeLevel level : subject.knobs.recompute) out.push_back(static_cast<Int>(level));
      return out;
    case PlanAxis::sharding:
      for (const StateSharding sharding : subject.knobs.shardings) out.push_back(static_cast<Int>(sharding));
      return out;
    case PlanAxis::schedule:
      for (const ScheduleKind schedule : subject.knobs.schedules) out.push_back(static_cast<Int>(schedule));
      return winner.pipeline > 1 ? out : std::vector<Int>{};
    case PlanAxis::precision:
      if (const auto asked = request.allowed.find(axis); asked != request.allowed.end()) out = asked->second;
      std::sort(out.begin(), out.end());
      return out;
    case PlanAxis::expert:
    case PlanAxis::expert_tensor:
      return subject.model.experts > 0 ? divisors(winner.world_size) : std::vector<Int>{};
    case PlanAxis::replicas:
      return divisors(data_parallel(winner));
    default:
      return divisors(winner.world_size);
  }
}

/// The values before and after the present one.
std::vector<Int> around(const std::vector<Int>& values, Int now) {
  auto here = std::find(values.begin(), values.end(), now);
  const bool is_there = here != values.end();
  if (!is_there) here = std::lower_bound(values.begin(), values.end(), now);
  std::vector<Int> out;
  if (here != values.begin()) out.push_back(*(here - 1));
  if (is_there) ++here;
  if (here != values.end()) out.push_back(*here);
  return out;
}

/// The backend's first schedule for so many chunks.
ScheduleKind first_schedule(const PlanSubject& subject, Int chunks) {
  for (const ScheduleKind kind : subject.knobs.schedules) {
    if (goes_with_chunks(kind, chunks)) return kind;
  }
  return ScheduleKind::one_f_one_b;
}

/// The candidate with another value, and what must follow it.
Candidate stepped(const Candidate& winner, PlanAxis axis, Int value, const PlanSubject& subject) {
  Candidate c = winner;
  set_value(c, axis, value);
  if (axis == PlanAxis::tensor && winner.expert_tensor == winner.tensor) c.expert_tensor = value;
  if (axis == PlanAxis::pipeline && value == 1) {
    c.schedule = ScheduleKind::none;
    c.chunks = 1;
    c.split = StageSplit::even;
  }
  const bool starts_pipeline = c.pipeline > 1 && c.schedule == ScheduleKind::none;
  if (starts_pipeline || axis == PlanAxis::chunks) c.schedule = first_schedule(subject, c.chunks);
  if (axis == PlanAxis::schedule && !goes_with_chunks(c.schedule, c.chunks)) {
    c.chunks = goes_with_chunks(c.schedule, 2) ? 2 : 1;
  }
  const bool uneven = c.pipeline > 1 && pipelined_layers(subject) % (c.pipeline * c.chunks) != 0;
  const auto& splits = subject.knobs.splits;
  const bool can_deal = std::find(splits.begin(), splits.end(), StageSplit::dealt) != splits.end();
  if (c.split == StageSplit::ends && axis == PlanAxis::pipeline) c.split = StageSplit::even;
  if (c.split == StageSplit::even && uneven && can_deal) c.split = StageSplit::dealt;
  if (axis == PlanAxis::recompute && c.recompute == RecomputeLevel::block)
    c.recompute_layers = std::max<Int>(1, subject.model.layers / (2 * c.pipeline * c.chunks));
  return c;
}

}  // namespace

std::vector<Neighbour> neighbours(const Candidate& winner, PointJudge& judge, const PlanSubject& subject,
                                  const PlanRequest& request) {
  std::vector<Neighbour> out;
  const CandidateOverrides own = judge.changes(winner);
  for (const AxisName& axis : axis_names()) {
    const std::vector<Int> values = values_on(axis.axis, winner, subject, request);
    const Int now = value_on(winner, axis.axis);
    for (const Int value : around(values, now)) {
      const Candidate candidate = stepped(winner, axis.axis, value, subject);
      if (judge.changes(candidate) == own) continue;  // an axis that means nothing beside the others' values
      Neighbour step{.axis = axis.axis, .from = now, .to = value, .rejected_by = nullptr, .point = {}};
      const PointJudge::Answer answer = judge.judge(candidate);
      step.rejected_by = answer.verdict.first_error;
      step.point = answer.point;
      const bool is_timed = answer.verdict.errors == 0 && answer.point.fit != Fit::does_not_fit;
      if (is_timed && needs_playing(answer.point.candidate))
        set_times(step.point, estimate_step(judge.workload(), request.hardware, {.simulate = true}));
      out.push_back(step);
    }
  }
  return out;
}

}  // namespace primus_plan
