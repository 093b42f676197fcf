#include "calibrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "command.h"
#include "output.h"
#include "primus_plan/config/settings.h"
#include "primus_plan/estimate/calibration.h"
#include "primus_plan/support/diff.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "replace_file.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

namespace fs = std::filesystem;

/// Memory that is further off is that of another run.
constexpr double least_memory_share = 0.5;
constexpr double most_memory_share = 2;

double positive_number(const std::string& flag, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value > 0 && std::isfinite(value)) return value;
  throw Trouble(fmt::format("--measured {}: expected a number above 0", flag));
}

double fit_compute(double tokens, const Workload& workload, const Hardware& hardware) {
  if (const auto scale = fit_compute_scale(workload, hardware, tokens)) return *scale;
  if (const std::string reason = reason_without_step(workload, hardware); !reason.empty())
    throw Trouble("--measured: no step time to compare with: " + reason);
  const double estimated = estimate_step(workload, uncalibrated(hardware)).tokens_per_second_per_gpu;
  throw Trouble(
      fmt::format("{:.1f} tokens/s on each GPU cannot be explained by computing rates from {} to {} times "
                  "those of {}: the estimate is {:.1f}; was it this experiment, at this size?",
                  tokens, least_compute_scale, most_compute_scale, hardware.name, estimated));
}

double fit_memory(double measured_gib, const Workload& workload, const Hardware& hardware) {
  const Hardware plain = uncalibrated(hardware);
  const double estimated = estimate_memory(workload, memory_device(&plain)).device.expected;
  const double measured = measured_gib * gib;
  if (estimated > 0 && measured >= least_memory_share * estimated && measured <= most_memory_share * estimated) {
    return fit_memory_extra(measured, estimated);
  }
  throw Trouble(
      fmt::format("{:.1f} GiB is too far from the estimate, {:.1f} GiB on the fullest GPU: was it this "
                  "experiment, at this size?",
                  measured_gib, estimated / gib));
}

std::string read_text(const std::string& path, const FileReader& files) {
  ReadFailure failure;
  auto text = files.read(path, failure);
  if (!text) throw Trouble(fmt::format("cannot read {}: {}", path, failure.reason));
  return *std::move(text);
}

/// Where settings of the experiment would stand.
std::string folder_of(const std::string& experiment) {
  return experiment == "-" ? "." : fs::path(absolute_path(experiment)).parent_path().string();
}

void write(const std::string& path, const std::string& before, const std::string& after, bool is_new) {
  if (is_new) {
    Output file{std::optional(path)};
    file.write(after);
    file.finish();
    return;
  }
  const std::string refusal = replace_file(path, before, after);
  if (!refusal.empty()) throw Trouble(fmt::format("{} was left alone: {}", path, refusal));
}

}  // namespace

Measured read_measured_flags(const std::vector<std::string>& flags) {
  Measured out;
  for (const std::string& flag : flags) {
    const std::size_t equals = std::min(flag.find('='), flag.size());
    const std::string_view name = std::string_view(flag).substr(0, equals);
    const std::string_view value = std::string_view(flag).substr(std::min(equals + 1, flag.size()));
    if (name == "tokens_per_second_per_gpu") {
      out.tokens_per_second_per_gpu = positive_number(flag, value);
    } else if (name == "memory_gib") {
      out.memory_gib = positive_number(flag, value);
    } else {
      throw Trouble(fmt::format("--measured {}: expected tokens_per_second_per_gpu=NUMBER or memory_gib=NUMBER", flag));
    }
  }
  return out;
}

Fitted fit_measured(const Measured& measured, const Analysis& analysis, const Hardware& hardware) {
  const Workload& workload = *analysis.workload;
  if (!workload.unknown.empty()) {
    throw Trouble(fmt::format("--measured: the run cannot be estimated, so nothing can be fitted; not stated: {}",
                              join(workload.unknown, ", ")));
  }
  Fitted out;
  out.stored.hardware = hardware.name;
  std::string said;
  if (measured.tokens_per_second_per_gpu) {
    out.has_compute = true;
    out.stored.constants.compute_scale = fit_compute(*measured.tokens_per_second_per_gpu, workload, hardware);
    said += fmt::format(", {:.1f} tokens/s on each GPU", *measured.tokens_per_second_per_gpu);
  }
  if (measured.memory_gib) {
    out.has_memory = true;
    out.stored.constants.memory_extra_bytes = fit_memory(*measured.memory_gib, workload, hardware);
    said += fmt::format(", {:.1f} GiB", *measured.memory_gib);
  }
  out.stored.run = fmt::format("{} ({}) on {} {}{}", fs::path(analysis.path).filename().string(), analysis.module,
                               counted(workload.run.launch.world_size, "GPU"), hardware.name, said);
  return out;
}

StoredCalibration store_calibration(const Fitted& fitted, const std::optional<StoredCalibration>& before,
                                    const std::string& experiment, const FileReader& files, bool dry_run) {
  StoredCalibration out = fitted.stored;
  if (before && before->hardware == out.hardware && fitted.has_compute != fitted.has_memory) {
    if (!fitted.has_compute) out.constants.compute_scale = before->constants.compute_scale;
    if (!fitted.has_memory) out.constants.memory_extra_bytes = before->constants.memory_extra_bytes;
    if (before->run != out.run) out.run += "; before it " + before->run.substr(0, before->run.find("; before it "));
  }
  const std::string folder = folder_of(experiment);
  out.path = nearest_settings_file(folder, files);
  const bool is_new = out.path.empty();
  if (is_new) out.path = (fs::path(folder) / settings_name).string();
  const std::string text = is_new ? std::string() : read_text(out.path, files);
  std::string changed;
  try {
    changed = with_calibration(text, out);
  } catch (const CalibrationError& error) {
    throw Trouble(fmt::format("{}: {}", out.path, error.what()));
  }
  if (dry_run) {
    say(unified_diff(out.path, text, changed));
  } else if (changed != text) {
    write(out.path, text, changed, is_new);
    say(fmt::format("primus-plan: wrote the calibration into {}\n", out.path));
  }
  return out;
}

std::string calibration_text(const StoredCalibration& stored) {
  const double extra = stored.constants.memory_extra_bytes / gib;
  return fmt::format("computing rates x {:.3f}, {:.2f} GiB {} memory; by {} ({})", stored.constants.compute_scale,
                     std::fabs(extra), extra < 0 ? "less" : "more", stored.run, stored.path);
}

}  // namespace primus_plan::app
