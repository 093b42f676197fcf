#include "primus_plan/planner/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "planner/play_leaders.h"
#include "planner/rank.h"
#include "planner/search.h"
#include "planner/sensitivity.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/communication.h"
#include "primus_plan/planner/asked_axes.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_on_front = 12;
constexpr std::int64_t most_layers = 10'000;  // no model has more; the search makes lists of layers

/// Groups whose ranks do not all sit on one node, tensor-parallel ranks being neighbours, then context, then data, then
/// pipeline: the order in which all three frameworks place them.
std::vector<std::string> crossing_groups(const Candidate& c, std::int64_t gpus_per_node) {
  std::vector<std::string> out;
  const std::int64_t data = data_parallel(c);
  const auto crosses = [&](std::int64_t size, std::int64_t stride) {
    return size > 1 && size * stride > gpus_per_node;
  };
  if (crosses(c.tensor, 1)) out.emplace_back("TP");
  if (crosses(c.context, c.tensor)) out.emplace_back("CP");
  if (crosses(c.expert, c.expert_tensor)) out.emplace_back("EP");
  if (crosses(data, c.tensor * c.context)) out.emplace_back("DP");
  if (crosses(c.pipeline, c.tensor * c.context * std::max<std::int64_t>(data, 1))) out.emplace_back("PP");
  return out;
}

ProposedPlan propose(const PlanPoint& point, PointJudge& judge, const Prepared& prepared, const PlanRequest& request,
                     const PresentPlan& present) {
  ProposedPlan out;
  const PointJudge::Answer answer = judge.judge(point.candidate);
  out.point = point;
  if (answer.verdict.errors == 0) {
    out.estimate = estimate_run(judge.workload(), &request.hardware);
    out.run = judge.workload().run;
    set_times(out.point, out.estimate.step);  // one that was not played before it was ranked
  }
  out.crossing = crossing_groups(point.candidate, request.task.gpus_per_node);
  out.overrides = prepared.candidate_overrides(point.candidate, request.task, false);
  out.differences = prepared.candidate_overrides(point.candidate, request.task, true);
  out.changes = out.differences.size();
  out.warnings = point.warnings;
  if (request.count_warnings) {
    out.warnings = request.count_warnings(out.overrides, point.candidate.world_size).value_or(out.warnings);
  }
  out.is_present =
      present.is_estimated && out.changes == 0 && present.run.launch.world_size == point.candidate.world_size;
  return out;
}

/// A few of many, the fastest among them, without those that are so slow that nobody wants them.
std::vector<const PlanPoint*> thinned(std::vector<const PlanPoint*> points, std::size_t most) {
  constexpr double slowest_share = 0.4;
  const double best = points.empty() ? 0 : points.back()->tokens_per_second_per_gpu;
  std::erase_if(points, [&](const PlanPoint* p) { return p->tokens_per_second_per_gpu < slowest_share * best; });
  if (points.size() <= most) return points;
  std::vector<const PlanPoint*> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(points[i * (points.size() - 1) / (most - 1)]);
  return out;
}

PresentPlan judge_present(const Prepared& prepared, const Launch& launch, const PlanRequest& request) {
  PresentPlan out;
  AnalyzeOptions options;
  options.with_text = false;
  options.with_workload = true;
  const Analysis analysis = prepared.decide(launch, options);
  out.is_legal = analysis.errors == 0;
  out.run = analysis.run;
  if (!out.is_legal || analysis.workload == nullptr || analysis.workload->run.stages.empty()) return out;
  out.is_estimated = true;
  out.point = point_of(*analysis.workload, request.hardware);
  if (out.point.fit != Fit::does_not_fit)
    set_times(out.point, estimate_step(*analysis.workload, request.hardware, {.simulate = true}));
  if (out.point.seconds <= 0) out.no_seconds = reason_without_step(*analysis.workload, request.hardware);
  return out;
}

std::size_t count_indistinguishable(const PlanResult& result, const std::vector<std::size_t>& best) {
  std::size_t out = 0;
  for (std::size_t i = 1; i < best.size(); ++i) {
    const PlanPoint& point = result.points[best[i]];
    if (point.low_seconds <= result.points.front().seconds) ++out;
  }
  return out;
}

/// The same GPUs with a global batch that divides, else the smallest power of two of GPUs that does, with everything
/// recomputed and one sample at a time, unless those are pinned: what needs least.
NearestPlan find_nearest(const Prepared& prepared, const PlanSubject& subject, const PlanRequest& request,
                         const PlanControl& control) {
  constexpr std::int64_t most_gpus = 4096;
  constexpr std::int64_t one = 1;
  NearestPlan out;
  std::vector<std::int64_t> worlds{request.worlds.back()};
  for (std::int64_t world = 1; world <= most_gpus; world *= 2) {
    if (world > request.worlds.back()) worlds.push_back(world);
  }
  for (const std::int64_t world : worlds) {
    PlanRequest smaller = request;
    smaller.worlds = {world};
    smaller.allowed.try_emplace(PlanAxis::recompute, std::vector{static_cast<std::int64_t>(RecomputeLevel::full)});
    std::vector<std::int64_t>& micro =
        smaller.allowed.try_emplace(PlanAxis::micro_batch, std::vector{one}).first->second;
    micro = {std::ranges::min(micro)};
    const std::int64_t unit = world * micro.front();
    const std::int64_t steps = request.task.global_batch / unit + (request.task.global_batch % unit != 0 ? 1 : 0);
    smaller.task.global_batch = saturating_multiply(steps, unit);
    SearchOutcome found =
        search(prepared, subject, smaller, plan_groups(subject, smaller), {.stop = control.stop, .progress = {}});
    rank(found.points, request.objective);
    if (!found.points.empty()) {
      return {
          .found = true, .world_size = world, .global_batch = smaller.task.global_batch, .point = found.points.front()};
    }
    if (!found.complete) break;
  }
  return out;
}

/// The legal candidate that needs least. A search leaves out what needs no less than one that does not fit, which may
/// still be the least of all.
void find_least(PlanResult& out, const Prepared& prepared, const PlanSubject& subject, const PlanRequest& request,
                const std::vector<PlanGroup>& groups, const PlanControl& control) {
  const SearchOutcome found =
      search(prepared, subject, request, groups, {.stop = control.stop, .progress = {}}, {.smallest_only = true});
  out.complete = found.complete;
  out.least_memory = found.least_memory;
  out.has_least_memory = found.has_least_memory;
}

/// Why nothing can be planned with a model; empty when something can.
std::string trouble_with(const Workload* workload) {
  if (workload == nullptr || workload->model.layers < 1)
    return "the dimensions of the model are not known, so that there is nothing to plan with";
  if (workload->model.hidden < 1 || workload->model.layers > most_layers) {
    return fmt::format("a model of {} and hidden size {} is nothing to plan for",
                       counted(workload->model.layers, "layer"), workload->model.hidden);
  }
  return {};
}

/// Why plans of the run's own format are none on the part; empty where they are, or where formats were asked for.
std::string trouble_with_part(const Workload& workload, const PlanRequest& request) {
  if (request.allowed.contains(PlanAxis::precision)) return {};
  const std::string trouble = trouble_with_format(workload.precision, request.hardware);
  if (trouble.empty()) return {};
  if (workload.precision.compute == NumberFormat::fp32)
    return fmt::format("{}: state it, as --hardware {}:peak_fp32_tflops=100 does", trouble, request.hardware.name);
  const char* key = workload.keys.precision.name;
  return fmt::format("{}, which {} asks for: --allow precision=bf16 plans without it", trouble,
                     key != nullptr ? key : "the experiment");
}

std::vector<std::string> notes_on(const Workload& workload) {
  std::vector<std::string> out = step_remarks(workload);
  if (!workload.unknown.empty())
    out.insert(out.begin(), fmt::format("the estimates lack {}", join(workload.unknown, ", ")));
  return out;
}

/// What is shown of the ranked points: the best layouts, the front, the steps around the winner.
void add_proposals(PlanResult& out, PointJudge& judge, const Prepared& prepared, const PlanSubject& subject,
                   const PlanRequest& request) {
  const std::vector<std::size_t> best = best_of_layouts(out.points);
  out.layouts = best.size();
  for (std::size_t i = 0; i < std::min(best.size(), std::max<std::size_t>(request.top, 2)); ++i) {
    out.plans.push_back(propose(out.points[best[i]], judge, prepared, request, out.present));
  }
  if (out.plans.size() > 1) out.runner_up = out.plans[1];
  if (out.plans.size() > request.top) out.plans.resize(request.top);
  for (const PlanPoint* point : thinned(pareto_front(out.points), most_on_front)) {
    out.front.push_back(propose(*point, judge, prepared, request, out.present));
  }
  out.sensitivity = neighbours(out.points.front().candidate, judge, subject, request);
  out.indistinguishable = count_indistinguishable(out, best);
}

}  // namespace

PlanResult make_plan(const Prepared& prepared, const PlanRequest& asked, const PlanControl& control) {
  PlanResult out;
  PlanRequest request = asked;
  AnalyzeOptions options;
  options.with_text = false;
  options.with_workload = true;
  const std::int64_t largest = request.worlds.empty() ? 0 : request.worlds.back();
  const Launch launch = sized_launch(largest, request.task.gpus_per_node);
  const Analysis base = prepared.decide(launch, options);
  out.trouble = trouble_with(base.workload.get());
  if (out.trouble.empty()) out.trouble = trouble_with_part(*base.workload, request);
  if (!out.trouble.empty()) return out;
  const PlanSubject subject{base.workload->model, prepared.plan_knobs()};
  request.task.layers = subject.model.layers;
  request.task.mtp_layers = subject.model.mtp_depth;
  request.task.nanoo_fp8 = has_nanoo_fp8(request.hardware);
  out.present = judge_present(prepared, request.present.value_or(launch), request);
  out.always_recomputes = subject.knobs.always_recomputes;

  const std::vector<PlanGroup> groups = plan_groups(subject, request);
  if (!groups.empty()) {
    out.space = groups.back().first + micro_batches(groups.back(), request).size() *
                                          recompute_choices(groups.back(), subject, request).size();
  }
  SearchOutcome found = search(prepared, subject, request, groups, control);
  out.judged = found.judged;
  out.complete = found.complete;
  out.rejections = std::move(found.rejections);
  out.points = std::move(found.points);
  PointJudge judge(prepared, request);
  if (request.min_change) {
    for (PlanPoint& point : out.points) {
      point.changes = static_cast<std::uint32_t>(judge.changes(point.candidate).size());
    }
  }
  rank_played(out.points, judge, request);
  if (!out.points.empty()) {
    // Of a plan: the module itself may be illegal at this size, and then lacks what every plan has.
    judge.judge(out.points.front().candidate);
    out.notes = notes_on(judge.workload());
    add_proposals(out, judge, prepared, subject, request);
  } else if (!request.worlds.empty() && out.complete) {
    find_least(out, prepared, subject, request, groups, control);
    if (request.look_further) out.nearest = find_nearest(prepared, subject, request, control);
  }
  return out;
}

}  // namespace primus_plan
