#include "primus_plan/planner/assumed_batch.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace primus_plan {
namespace {

constexpr std::int64_t usual_tokens = std::int64_t{4} << 20;
constexpr std::int64_t usual_samples_of_gpu = 8;
constexpr std::int64_t largest_power = 64;
constexpr std::int64_t most_moved_part = 16;  // a batch may move by one in so many for rounder numbers

/// The multiple of `step` that is nearest to `wanted`, at least one step.
std::int64_t nearest_multiple(std::int64_t wanted, std::int64_t step) {
  return std::max<std::int64_t>((wanted + step / 2) / step, 1) * step;
}

/// What the batch has to be a multiple of.
std::int64_t common_multiple(std::span<const std::int64_t> worlds, std::int64_t most) {
  std::int64_t out = 1;
  for (const std::int64_t world : worlds) {
    const std::int64_t factor = world / std::gcd(out, world);
    if (factor > most / out) return worlds.back();
    out *= factor;
  }
  return out;
}

}  // namespace

std::int64_t assumed_batch(std::span<const std::int64_t> worlds, std::int64_t sequence_length) {
  const std::int64_t of_tokens = std::max<std::int64_t>(usual_tokens / std::max<std::int64_t>(sequence_length, 1), 1);
  const std::int64_t wanted = std::max(of_tokens, worlds.back() * usual_samples_of_gpu);
  const std::int64_t step = common_multiple(worlds, wanted);
  std::int64_t out = nearest_multiple(wanted, step);
  for (std::int64_t power = 2; power <= largest_power; power *= 2) {
    const std::int64_t rounder = nearest_multiple(wanted, step * power);
    if (std::abs(rounder - wanted) <= wanted / most_moved_part) out = rounder;
  }
  return out;
}

}  // namespace primus_plan
