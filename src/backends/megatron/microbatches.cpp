#include "backends/megatron/microbatches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

using Kind = MicrobatchFault::Kind;
using Fault = std::optional<MicrobatchFault>;

struct Ramp {
  std::int64_t start;
  std::int64_t increment;
  std::int64_t samples;
};

Ramp ramp_of(const MicrobatchInput& in) { return {(*in.ramp_up)[0], (*in.ramp_up)[1], (*in.ramp_up)[2]}; }

std::int64_t unit_of(const MicrobatchInput& in) { return saturating_multiply(in.micro, in.data); }

std::int64_t increments(const MicrobatchInput& in, const Ramp& ramp) {
  return (in.global - ramp.start) / ramp.increment;
}

/// ConstantNumMicroBatchesCalculator.__init__.
MicrobatchResult constant(const MicrobatchInput& in) {
  const std::int64_t unit = unit_of(in);
  if (unit == 0) return {{}, MicrobatchFault{Kind::unit_is_zero, unit}};
  const std::int64_t rest = floor_remainder(in.global, unit);
  if (!in.decrease && rest != 0) return {{}, MicrobatchFault{Kind::not_divisible, in.global, unit}};
  const std::int64_t count = floor_divide(in.global, unit);
  if (count < 1) return {{}, MicrobatchFault{Kind::no_microbatch, count, unit}};
  return {{.count = count, .global = in.global, .running = in.global - rest}, std::nullopt};
}

/// RampupBatchsizeNumMicroBatchesCalculator.__init__ up to its first update.
Fault ramp_fault(const MicrobatchInput& in) {
  const std::int64_t length = std::ssize(*in.ramp_up);
  if (length != 3) return MicrobatchFault{Kind::ramp_length, length, 3};
  const Ramp ramp = ramp_of(in);
  if (in.global <= 0) return MicrobatchFault{Kind::global_not_positive, in.global};
  if (ramp.start <= 0) return MicrobatchFault{Kind::start_not_positive, ramp.start};
  if (ramp.increment <= 0) return MicrobatchFault{Kind::increment_not_positive, ramp.increment};
  if (ramp.samples < 0) return MicrobatchFault{Kind::samples_negative, ramp.samples};
  if (unit_of(in) <= 0) return MicrobatchFault{Kind::unit_not_positive, unit_of(in)};
  const std::int64_t difference = in.global - ramp.start;
  if (difference < 0) return MicrobatchFault{Kind::start_above_global, ramp.start, in.global};
  if (difference % ramp.increment != 0)
    return MicrobatchFault{Kind::increment_not_divisible, difference, ramp.increment};
  if (difference == 0) return MicrobatchFault{Kind::no_increment, in.global};
  if (ramp.samples == 0) return MicrobatchFault{Kind::no_samples};
  return std::nullopt;
}

/// Increments done after so many samples, by the arithmetic of update().
std::int64_t increments_at(const MicrobatchInput& in, const Ramp& ramp, std::int64_t consumed) {
  const std::int64_t all = increments(in, ramp);
  if (consumed > ramp.samples) return all;
  const double samples_per_increment = static_cast<double>(ramp.samples) / static_cast<double>(all);
  return static_cast<std::int64_t>(static_cast<double>(consumed) / samples_per_increment);
}

/// RampupBatchsizeNumMicroBatchesCalculator.update.
MicrobatchResult ramped(const MicrobatchInput& in, std::int64_t consumed, bool check) {
  const Ramp ramp = ramp_of(in);
  const std::int64_t unit = unit_of(in);
  const std::int64_t global = ramp.start + increments_at(in, ramp, consumed) * ramp.increment;
  if (global > in.global) return {{}, MicrobatchFault{Kind::above_global, global, in.global}};
  const std::int64_t rest = global % unit;
  const Microbatches batch{.count = global / unit, .global = global, .running = in.decrease ? global - rest : global};
  if (check && !in.decrease && rest != 0) return {batch, MicrobatchFault{Kind::not_divisible, global, unit}};
  return {batch, std::nullopt};
}

/// The first number of samples at which `wanted` increments are done.
std::int64_t first_sample_of(const MicrobatchInput& in, const Ramp& ramp, std::int64_t wanted) {
  const double samples_per_increment = static_cast<double>(ramp.samples) / static_cast<double>(increments(in, ramp));
  const double estimate = std::ceil(static_cast<double>(wanted) * samples_per_increment);
  std::int64_t sample =
      estimate < static_cast<double>(ramp.samples) ? static_cast<std::int64_t>(estimate) : ramp.samples;
  // The product above and the division in update() round apart by a little.
  while (sample > 0 && increments_at(in, ramp, sample - 1) >= wanted) --sample;
  while (sample <= ramp.samples && increments_at(in, ramp, sample) < wanted) ++sample;
  return sample;
}

}  // namespace

MicrobatchResult start_microbatches(const MicrobatchInput& in) {
  if (!in.ramp_up) return constant(in);
  if (auto fault = ramp_fault(in)) return {{}, fault};
  return ramped(in, 0, false);
}

MicrobatchResult microbatches_at(const MicrobatchInput& in, std::int64_t consumed_samples) {
  if (!in.ramp_up) return constant(in);
  if (auto fault = ramp_fault(in)) return {{}, fault};
  return ramped(in, consumed_samples, true);
}

std::vector<RampStep> ramp_steps(const MicrobatchInput& in, std::size_t limit) {
  std::vector<RampStep> steps;
  if (!in.ramp_up || ramp_fault(in)) return steps;
  const Ramp ramp = ramp_of(in);
  std::int64_t consumed = 0;
  while (steps.size() < limit) {
    const MicrobatchResult now = ramped(in, consumed, true);
    RampStep& step = steps.emplace_back();
    step.first_sample = consumed;
    step.batch = now.value;
    step.divisible = !now.fault;
    if (now.fault || now.value.running == 0 || now.value.global == in.global) return steps;
    const std::int64_t done = increments_at(in, ramp, consumed);
    const std::int64_t left = first_sample_of(in, ramp, done + 1) - consumed;
    step.iterations = (left - 1) / now.value.running + 1;
    const std::int64_t taken = saturating_multiply(step.iterations, now.value.running);
    if (taken > std::numeric_limits<std::int64_t>::max() - consumed) return steps;
    consumed += taken;
  }
  return steps;
}

}  // namespace primus_plan::megatron
