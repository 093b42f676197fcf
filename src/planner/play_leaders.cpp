#include "planner/play_leaders.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "planner/rank.h"

namespace primus_plan {
namespace {

using Orders = std::set<std::uint32_t>;

/// A point that turns out slower lets another lead, which may be one of the same kind; of thousands only some lead.
constexpr std::size_t most_played = 2000;

/// Orders of the points that would be proposed and were not played yet.
Orders unplayed_leaders(const std::vector<PlanPoint>& points, std::size_t top, const Orders& played) {
  Orders out;
  const auto look_at = [&](const PlanPoint& point) {
    if (needs_playing(point.candidate) && !played.contains(point.order)) out.insert(point.order);
  };
  std::vector<const Candidate*> layouts;
  for (std::size_t i = 0; i < points.size() && layouts.size() < top; ++i) {
    const Candidate& candidate = points[i].candidate;
    if (std::ranges::any_of(layouts, [&](const Candidate* c) { return same_layout(*c, candidate); })) continue;
    layouts.push_back(&candidate);
    look_at(points[i]);
  }
  for (const PlanPoint& point : pareto_front(points)) look_at(point);
  return out;
}

}  // namespace

bool needs_playing(const Candidate& candidate) { return candidate.pipeline > 1; }

namespace {

/// Ranks again after some points, which `changed` knows by their order, were timed anew.
void rank_again(std::vector<PlanPoint>& points, const Orders& changed, PlanObjective objective) {
  const auto is_as_before = [&](const PlanPoint& point) { return !changed.contains(point.order); };
  const auto middle = std::stable_partition(points.begin(), points.end(), is_as_before);
  const auto better = [objective](const PlanPoint& a, const PlanPoint& b) { return is_better(a, b, objective); };
  std::sort(middle, points.end(), better);
  std::inplace_merge(points.begin(), middle, points.end(), better);
}

}  // namespace

void play_leaders(std::vector<PlanPoint>& points, PointJudge& judge, const PlanRequest& request) {
  if (std::ranges::none_of(points, needs_playing, &PlanPoint::candidate)) return;
  Orders played;
  while (played.size() < most_played) {
    const Orders leaders = unplayed_leaders(points, request.top, played);
    if (leaders.empty()) return;
    for (PlanPoint& point : points) {
      if (!leaders.contains(point.order)) continue;
      if (judge.judge(point.candidate).verdict.errors > 0) continue;
      set_times(point, estimate_step(judge.workload(), request.hardware, {.simulate = true}));
    }
    played.insert(leaders.begin(), leaders.end());
    rank_again(points, leaders, request.objective);
  }
}

}  // namespace primus_plan
