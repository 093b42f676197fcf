#include "part.h"

#include <algorithm>
#include <utility>

#include "calibrate.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"

namespace primus_plan::app {

namespace {

std::size_t errors_of(const std::vector<Analysis>& analyses) {
  std::size_t out = 0;
  for (const Analysis& analysis : analyses) out += analysis.errors;
  return out;
}

constexpr const char* smallest_part = "MI300X";  // of those that Primus has experiments for

bool is_calibrated(const Hardware& hardware, const Settings* settings) {
  return settings != nullptr && settings->calibration && settings->calibration->value.hardware == hardware.name;
}

std::string_view own_text(const Experiment& experiment) {
  for (const auto& source : experiment.sources) {
    if (source->path() == experiment.path) return source->text();
  }
  return {};
}

}  // namespace

void declare_hardware(CLI::App& app, std::string& spec) {
  app.add_option("--hardware", spec,
                 "the GPU: MI300X, MI300X:nic_gbs=25 (changed numbers), or a file; else what the settings, the path or "
                 "comments name")
      ->type_name("PART");
}

Parts::Parts(std::string spec, const FileReader& files) : spec_(std::move(spec)), files_(files) {
  if (!spec_.empty()) find(spec_);
}

Hardware Parts::find(const std::string& spec) const {
  const std::lock_guard lock(mutex_);
  const auto known = found_.find(spec);
  return known != found_.end() ? known->second : found_.emplace(spec, find_hardware(spec, files_)).first->second;
}

FitTarget Parts::of(const Experiment& experiment, const Settings* settings) const {
  FitTarget out;
  out.known_parts = &built_in_hardware;
  if (!spec_.empty()) {
    out.hardware = find(spec_);
    out.from = "--hardware " + spec_;
  } else if (settings != nullptr && settings->hardware) {
    out.hardware = find(settings->hardware->value);
    out.from = "hardware in " + to_string(settings->hardware->origin);
  } else if (const auto hint = guess_hardware(experiment.path, own_text(experiment))) {
    out.hardware = find(hint->name);
    out.from = hint->from;
  } else {
    out.hardware = find(smallest_part);
    out.assumed = true;
  }
  if (is_calibrated(out.hardware, settings)) out.hardware.calibration = settings->calibration->value.constants;
  return out;
}

Part find_part(const std::string& spec, const Experiment& experiment, const Settings* settings,
               const FileReader& files) {
  FitTarget target = Parts(spec, files).of(experiment, settings);
  if (target.assumed) return {};
  std::string calibration =
      is_calibrated(target.hardware, settings) ? calibration_text(settings->calibration->value) : "";
  return {std::move(target.hardware), (spec.empty() ? "taken from " : "") + target.from, std::move(calibration)};
}

std::vector<Analysis> analyze_nodes(const Experiment& experiment, const Launch& launch, const Environment& environment,
                                    const AnalyzeOptions& asked) {
  if (launch.world_size > 0) return analyze(experiment, launch, environment, asked);
  std::int64_t least = 1;
  for (const Module& module : experiment.modules) {
    if (const auto prepared = prepare(module, environment)) least = std::max(least, prepared->smallest_world());
  }
  const std::int64_t node = std::max<std::int64_t>(launch.gpus_per_node, 1);
  const Launch nodes = assume_launch(std::max(least, node), node);
  std::vector<Analysis> out = analyze(experiment, nodes, environment, asked);
  if (errors_of(out) == 0) return out;
  std::vector<Analysis> smallest = analyze(experiment, launch, environment, asked);
  return errors_of(smallest) < errors_of(out) ? smallest : out;
}

GpuPart find_gpu_part(const std::string& spec, const Experiment& experiment, const Settings* settings,
                      const FileReader& files) {
  const FitTarget target = Parts(spec, files).of(experiment, settings);
  GpuPart out{target.hardware, target.assumed ? "nothing names the GPU; --hardware PART does" : target.from};
  if (is_calibrated(out.hardware, settings))
    out.source += "; calibrated by " + to_string(settings->calibration->origin);
  return out;
}

}  // namespace primus_plan::app
