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
  const std::vector<std::size_t> best = best_of_layouts(points);
  for (std::size_t i = 0; i < std::min(best.size(), top); ++i) look_at(points[best[i]]);
  for (const PlanPoint& point : pareto_front(points)) look_at(point);
  return out;
}

}  // namespace

bool needs_playing(const Candidate& candidate) {
  return candidate.schedule == ScheduleKind::v_half || candidate.schedule == ScheduleKind::v_min;
}

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
    rank(points, request.objective);
  }
}

}  // namespace primus_plan
