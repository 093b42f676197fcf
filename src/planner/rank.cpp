#include "planner/rank.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace primus_plan {
namespace {

/// Ascending: smaller is better.
std::array<double, 2> cost(const PlanPoint& point, PlanObjective objective) {
  const double price = price_of(point.fit);
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

/// Of two points, `a` needing no more memory: whether it leaves no reason to take `b`.
bool beats(const PlanPoint& a, const PlanPoint& b) {
  if (a.tokens_per_second_per_gpu != b.tokens_per_second_per_gpu)
    return a.tokens_per_second_per_gpu > b.tokens_per_second_per_gpu;
  return a.memory.expected < b.memory.expected || a.order < b.order;
}

}  // namespace

std::string_view to_string(PlanObjective objective) {
  constexpr std::array<std::string_view, 4> names{"throughput", "memory", "gpus", "latency"};
  return names[static_cast<std::size_t>(objective)];
}

double price_of(Fit fit) {
  constexpr double price_of_tight = 1.05;
  return fit == Fit::fits ? 1 : price_of_tight;
}

bool is_better(const PlanPoint& a, const PlanPoint& b, PlanObjective objective) {
  if (a.changes != b.changes) return a.changes < b.changes;
  if (a.warnings != b.warnings) return a.warnings < b.warnings;
  const auto x = cost(a, objective);
  const auto y = cost(b, objective);
  if (x != y) return x < y;
  if (a.memory.expected != b.memory.expected) return a.memory.expected < b.memory.expected;
  return a.order < b.order;
}

std::vector<std::uint32_t> ranking(const std::vector<PlanPoint>& points, PlanObjective objective) {
  std::vector<std::uint32_t> out(points.size());
  std::iota(out.begin(), out.end(), 0U);
  std::sort(out.begin(), out.end(),
            [&](std::uint32_t a, std::uint32_t b) { return is_better(points[a], points[b], objective); });
  return out;
}

void arrange(std::vector<PlanPoint>& points, const std::vector<std::uint32_t>& ranking) {
  std::vector<PlanPoint> out;
  out.reserve(points.size());
  for (const std::uint32_t i : ranking) out.push_back(points[i]);
  points = std::move(out);
}

void rank(std::vector<PlanPoint>& points, PlanObjective objective) { arrange(points, ranking(points, objective)); }

bool same_layout(const Candidate& a, const Candidate& b) { return layout_of(a) == layout_of(b); }

std::vector<std::size_t> best_of_layouts(const std::vector<PlanPoint>& ranked) {
  std::vector<std::size_t> out;
  std::set<decltype(layout_of(Candidate{}))> seen;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (seen.insert(layout_of(ranked[i].candidate)).second) out.push_back(i);
  }
  return out;
}

std::vector<const PlanPoint*> pareto_front(const std::vector<PlanPoint>& points) {
  std::uint32_t fewest = UINT32_MAX;
  for (const PlanPoint& point : points) fewest = std::min(fewest, point.warnings);
  // By memory; the more memory, the faster. Few points of many are ever on it, so it is kept rather than all sorted.
  std::map<double, const PlanPoint*> front;
  for (const PlanPoint& point : points) {
    if (point.warnings != fewest || point.tokens_per_second_per_gpu <= 0) continue;
    auto above = front.upper_bound(point.memory.expected);
    if (above != front.begin() && beats(*std::prev(above)->second, point)) continue;
    auto beaten = front.lower_bound(point.memory.expected);
    while (beaten != front.end() && beats(point, *beaten->second)) beaten = front.erase(beaten);
    front.emplace_hint(beaten, point.memory.expected, &point);
  }
  std::vector<const PlanPoint*> out;
  out.reserve(front.size());
  for (const auto& [memory, point] : front) out.push_back(point);
  return out;
}

}  // namespace primus_plan
