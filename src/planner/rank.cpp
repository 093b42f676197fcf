#include "planner/rank.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <tuple>

namespace primus_plan {
namespace {

/// Speed that a plan with little memory to spare must have over one with plenty to come before it.
constexpr double price_of_tight = 1.05;

/// Ascending: smaller is better.
std::array<double, 2> cost(const PlanPoint& point, PlanObjective objective) {
  const double price = point.fit == Fit::fits ? 1 : price_of_tight;
  switch (objective) {
    case PlanObjective::memory:
      return {point.memory.expected, -point.tokens_per_second_per_gpu};
    case PlanObjective::gpus:
      return {static_cast<double>(point.candidate.world_size), -point.tokens_per_second_per_gpu / price};
    case PlanObjective::latency:
      return {point.seconds * price, static_cast<double>(point.candidate.world_size)};
    case PlanObjective::throughput:
      break;
  }
  return {-point.tokens_per_second_per_gpu / price, static_cast<double>(point.candidate.world_size)};
}

auto layout_of(const Candidate& c) {
  return std::tuple(c.world_size, c.tensor, c.pipeline, c.context, c.expert, c.expert_tensor, c.sharding, c.replicas);
}

}  // namespace

std::string_view to_string(PlanObjective objective) {
  constexpr std::array<std::string_view, 4> names{"throughput", "memory", "gpus", "latency"};
  return names[static_cast<std::size_t>(objective)];
}

bool is_better(const PlanPoint& a, const PlanPoint& b, PlanObjective objective) {
  if (a.warnings != b.warnings) return a.warnings < b.warnings;
  const auto x = cost(a, objective);
  const auto y = cost(b, objective);
  if (x != y) return x < y;
  if (a.memory.expected != b.memory.expected) return a.memory.expected < b.memory.expected;
  return a.order < b.order;
}

void rank(std::vector<PlanPoint>& points, PlanObjective objective) {
  std::sort(points.begin(), points.end(),
            [objective](const PlanPoint& a, const PlanPoint& b) { return is_better(a, b, objective); });
}

bool same_layout(const Candidate& a, const Candidate& b) { return layout_of(a) == layout_of(b); }

std::vector<std::size_t> best_of_layouts(const std::vector<PlanPoint>& ranked) {
  std::vector<std::size_t> out;
  std::set<decltype(layout_of(Candidate{}))> seen;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (seen.insert(layout_of(ranked[i].candidate)).second) out.push_back(i);
  }
  return out;
}

std::vector<PlanPoint> pareto_front(const std::vector<PlanPoint>& points) {
  std::vector<const PlanPoint*> sorted;
  sorted.reserve(points.size());
  std::uint32_t fewest = UINT32_MAX;
  for (const PlanPoint& point : points) fewest = std::min(fewest, point.warnings);
  for (const PlanPoint& point : points) {
    if (point.warnings == fewest) sorted.push_back(&point);
  }
  std::sort(sorted.begin(), sorted.end(), [](const PlanPoint* a, const PlanPoint* b) {
    if (a->memory.expected != b->memory.expected) return a->memory.expected < b->memory.expected;
    if (a->tokens_per_second_per_gpu != b->tokens_per_second_per_gpu)
      return a->tokens_per_second_per_gpu > b->tokens_per_second_per_gpu;
    return a->order < b->order;
  });
  std::vector<PlanPoint> out;
  double best = 0;
  for (const PlanPoint* point : sorted) {
    if (point->tokens_per_second_per_gpu <= best) continue;
    best = point->tokens_per_second_per_gpu;
    out.push_back(*point);
  }
  return out;
}

}  // namespace primus_plan
