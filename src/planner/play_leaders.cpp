#include "planner/play_leaders.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "planner/rank.h"

namespace primus_plan {
namespace {

using Indices = std::vector<std::uint32_t>;

/// A point that turns out slower lets another lead, which may be one of the same kind; of thousands only some lead.
constexpr std::size_t most_played = 2000;

/// Points of a search, ranked by index, some of them timed by playing.
class Ranked {
 public:
  Ranked(std::vector<PlanPoint>& points, const PlanRequest& request)
      : points_(points),
        request_(request),
        ranking_(ranking(points, request.objective)),
        is_played_(points.size(), false),
        is_leader_(points.size(), false) {}

  /// Those that would be proposed, or compared with the first, and were not played yet.
  Indices unplayed_leaders() const {
    std::set<std::uint32_t> out;
    const auto look_at = [&](std::uint32_t i) {
      if (needs_playing(points_[i].candidate) && !is_played_[i]) out.insert(i);
    };
    std::vector<const Candidate*> layouts;
    for (std::size_t i = 0; i < ranking_.size() && layouts.size() < std::max<std::size_t>(request_.top, 2); ++i) {
      const Candidate& candidate = points_[ranking_[i]].candidate;
      if (std::ranges::any_of(layouts, [&](const Candidate* c) { return same_layout(*c, candidate); })) continue;
      layouts.push_back(&candidate);
      look_at(ranking_[i]);
    }
    for (const PlanPoint* point : pareto_front(points_)) look_at(static_cast<std::uint32_t>(point - points_.data()));
    return {out.begin(), out.end()};
  }

  void play(const Indices& leaders, PointJudge& judge) {
    for (const std::uint32_t i : leaders) {
      is_played_[i] = is_leader_[i] = true;
      if (judge.judge(points_[i].candidate).verdict.errors > 0) continue;
      set_times(points_[i], estimate_step(judge.workload(), request_.hardware, {.simulate = true}));
    }
    rank_again();
    for (const std::uint32_t i : leaders) is_leader_[i] = false;
  }

  void finish() { arrange(points_, ranking_); }

 private:
  /// Only the leaders' times have changed.
  void rank_again() {
    const auto better = [this](std::uint32_t a, std::uint32_t b) {
      return is_better(points_[a], points_[b], request_.objective);
    };
    const auto middle =
        std::stable_partition(ranking_.begin(), ranking_.end(), [this](std::uint32_t i) { return !is_leader_[i]; });
    std::sort(middle, ranking_.end(), better);
    std::inplace_merge(ranking_.begin(), middle, ranking_.end(), better);
  }

  std::vector<PlanPoint>& points_;
  const PlanRequest& request_;
  Indices ranking_;
  std::vector<bool> is_played_;
  std::vector<bool> is_leader_;
};

}  // namespace

bool needs_playing(const Candidate& candidate) { return candidate.pipeline > 1; }

void rank_played(std::vector<PlanPoint>& points, PointJudge& judge, const PlanRequest& request) {
  Ranked ranked(points, request);
  for (std::size_t played = 0; played < most_played;) {
    const Indices leaders = ranked.unplayed_leaders();
    if (leaders.empty()) break;
    ranked.play(leaders, judge);
    played += leaders.size();
  }
  ranked.finish();
}

}  // namespace primus_plan
