#include <cmath>

#include "backends/maxtext/derive/derive.h"

namespace primus_plan::maxtext {
namespace {

/// Python's int(): towards zero. 0 for what no batch could be.
Int truncated(double value) {
  constexpr double limit = 4.0e18;  // the difference of two such numbers still fits
  return std::isfinite(value) && std::fabs(value) < limit ? static_cast<Int>(value) : 0;
}

Int times(Int value, Int steps) { return truncated(static_cast<double>(value) * static_cast<double>(steps)); }

BatchSizes sizes_of(double per_device, double expansion, Int devices, Int accumulation) {
  const double count = static_cast<double>(devices);
  const double factor = expansion > 0 ? expansion : 1.0;
  BatchSizes out;
  out.micro = truncated(count * per_device);
  out.train = times(out.micro, accumulation);
  // Below one sample a device, each device still loads a whole one.
  out.load = per_device < 1.0 ? truncated(count * factor * static_cast<double>(accumulation))
                              : times(truncated(count * per_device * factor), accumulation);
  return out;
}

constexpr Int most_increments = 1'000'000;

RampUp ramp_up_of(const MaxTextConfig& config, Int devices, Int load) {
  const auto loaded = [&](double per_device) {
    return sizes_of(per_device, *config.expansion_factor_real_data, devices, *config.gradient_accumulation_steps).load;
  };
  RampUp out{.load_start = loaded(*config.per_device_batch_size_start),
             .load_increment = loaded(*config.per_device_batch_size_increment)};
  if (out.load_increment <= 0) return out;
  const Int increments = (load - out.load_start) / out.load_increment;
  if (load <= out.load_start || increments < 1 || increments > most_increments) return out;
  const double samples = static_cast<double>(*config.global_rampup_samples) / static_cast<double>(increments);
  out.samples_per_increment = samples;
  double steps = 0;
  Int batch = out.load_start;
  for (Int i = 0; i < increments; ++i) {
    if (batch > 0) steps += std::ceil(samples / static_cast<double>(batch));
    batch += out.load_increment;
  }
  out.end_step = truncated(steps);
  return out;
}

}  // namespace

void derive_batch(MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  const Int accumulation = *config.gradient_accumulation_steps;
  const double expansion = *config.expansion_factor_real_data;
  run.batch_sizes = sizes_of(*config.per_device_batch_size, expansion, run.devices(), accumulation);
  run.eval_sizes = sizes_of(*config.eval_per_device_batch_size, expansion, run.devices(), 1);
  if (*config.enable_rampup_batch_size) run.ramp_up = ramp_up_of(config, run.devices(), run.batch_sizes.load);
}

}  // namespace primus_plan::maxtext
