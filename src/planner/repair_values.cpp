#include "planner/repair_values.h"

#include <algorithm>
#include <utility>

#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

std::vector<std::int64_t> ascending(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<std::int64_t> global_values(const RunDescription& run) {
  std::vector<std::int64_t> values;
  const std::int64_t step = saturating_multiply(run.batch.micro, run.degrees.data);
  const std::int64_t round = saturating_multiply(step, run.degrees.pipeline);
  for (const std::int64_t multiple : {step, round}) {
    if (multiple < 1 || run.batch.global < 1) continue;
    const Multiples near = nearest_multiples(run.batch.global, multiple);
    if (near.below) values.push_back(*near.below);
    if (near.above) values.push_back(*near.above);
  }
  return ascending(std::move(values));
}

std::vector<std::int64_t> length_values(const RunDescription& run) {
  std::vector<std::int64_t> values;
  const std::int64_t halves = saturating_multiply(2, run.degrees.context);
  const std::int64_t ranks = saturating_multiply(run.degrees.tensor, run.degrees.context);
  const std::int64_t both = least_common_multiple(halves, ranks).value_or(0);
  const std::int64_t length = run.batch.sequence_length;
  for (const std::int64_t multiple : {run.degrees.context, halves, ranks, both, saturating_multiply(2, ranks)}) {
    if (multiple < 1 || length < 1 || length % multiple == 0) continue;
    const Multiples near = nearest_multiples(length, multiple);
    if (near.below) values.push_back(*near.below);
    if (near.above) values.push_back(*near.above);
  }
  return ascending(std::move(values));
}

std::vector<std::int64_t> micro_values(const RunDescription& run) {
  if (run.degrees.data < 1 || run.batch.global % run.degrees.data != 0) return {1};
  return divisors(run.batch.global / run.degrees.data);
}

std::vector<std::int64_t> free_micro_values(const RunDescription& run) {
  const std::int64_t now = run.batch.micro;
  const std::int64_t stages = saturating_multiply(run.degrees.pipeline, run.degrees.virtual_pipeline);
  std::vector<std::int64_t> values = micro_values(run);
  for (const std::int64_t multiple : {std::int64_t{1}, run.degrees.pipeline, stages}) {
    if (now < 1) break;
    const Multiples below = nearest_multiples(now - 1, multiple);
    const Multiples above = nearest_multiples(now, multiple);
    if (below.below) values.push_back(*below.below);
    if (above.above) values.push_back(*above.above);
  }
  return ascending(std::move(values));
}

std::vector<std::int64_t> halves_and_doubles(std::int64_t written) {
  std::vector<std::int64_t> values;
  for (const std::int64_t factor : {2, 4, 8}) {
    values.push_back(saturating_multiply(written, factor));
    if (written % factor == 0) values.push_back(written / factor);
  }
  std::erase_if(values, [](std::int64_t value) { return value < 1; });
  return ascending(std::move(values));
}

}  // namespace primus_plan
