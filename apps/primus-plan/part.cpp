#include "part.h"

#include <algorithm>
#include <utility>

#include "calibrate.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/support/number.h"

namespace primus_plan::app {

namespace {

constexpr const char* smallest_part = "MI300X";  // of those that Primus has experiments for

bool is_calibrated(const Hardware& hardware, const Settings* settings) {
  return settings != nullptr && settings->calibration && settings->calibration->value.hardware == hardware.name;
}

std::optional<HardwareHint> stated_part(const Experiment& experiment) {
  const Source* source = own_source(experiment);
  return source != nullptr ? stated_hardware(*source) : std::nullopt;
}

/// What the experiment's own text or path says of the part.
std::optional<HardwareHint> hint_of(const Experiment& experiment) {
  const Source* source = own_source(experiment);
  return guess_hardware(experiment.path, source != nullptr ? std::string_view(source->text()) : std::string_view());
}

}  // namespace

void declare_hardware(CLI::App& app, std::string& spec) {
  app.add_option("--hardware", spec,
                 "the GPU: MI300X, MI300X:nic_gbs=25 (changed numbers), or a file (with a / in its name, or .yaml, "
                 ".yml or .json "
                 "at its end); else what the settings, the path or "
                 "comments name")
      ->type_name("PART");
}

const Source* own_source(const Experiment& experiment) {
  for (const auto& source : experiment.sources) {
    if (source->path() == experiment.path) return source.get();
  }
  return nullptr;
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
  } else if (const auto stated = stated_part(experiment)) {
    out.hardware = find(stated->name);
    out.from = stated->from;
  } else if (settings != nullptr && settings->hardware) {
    out.hardware = find(settings->hardware->value);
    out.from = "hardware in " + to_string(settings->hardware->origin);
  } else if (const auto hint = hint_of(experiment)) {
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

std::size_t errors_of(const std::vector<Analysis>& analyses) {
  std::size_t out = 0;
  for (const Analysis& analysis : analyses) out += analysis.errors;
  return out;
}

std::int64_t common_world(const std::vector<Analysis>& a, const std::vector<Analysis>& b) {
  std::int64_t out = 1;
  bool differ = false;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const Launch& before = a[i].run.launch;
    const Launch& after = b[i].run.launch;
    if (!before.assumed || !after.assumed) return 0;
    differ = differ || before.world_size != after.world_size;
    for (const Launch* launch : {&before, &after})
      out = least_common_multiple(out, launch->world_size).value_or(largest_launch + 1);
  }
  return differ && out <= largest_launch ? out : 0;
}

std::vector<Analysis> analyze_nodes(const Experiment& experiment, const Launch& launch, const Environment& environment,
                                    const AnalyzeOptions& asked, std::int64_t assumed) {
  if (launch.world_size > 0) return analyze(experiment, launch, environment, asked);
  if (assumed > 0) {
    Launch both = assume_launch(assumed, launch.gpus_per_node);
    both.source = "the smallest whole nodes for both";
    return analyze(experiment, both, environment, asked);
  }
  std::int64_t least = 1;
  for (const Module& module : experiment.modules) {
    if (const auto prepared = prepare(module, environment)) least = std::max(least, prepared->smallest_world());
  }
  const std::int64_t node = std::max<std::int64_t>(launch.gpus_per_node, 1);
  Launch nodes = assume_launch(std::max(least, node), node);
  if (least < nodes.world_size) nodes.source = "the smallest whole nodes for these degrees";
  std::vector<Analysis> out = analyze(experiment, nodes, environment, asked);
  if (errors_of(out) == 0) return out;
  std::vector<Analysis> smallest = analyze(experiment, launch, environment, asked);
  return errors_of(smallest) < errors_of(out) ? smallest : out;
}

std::string part_to_write(const std::string& spec, const Experiment& experiment, const Settings* settings,
                          const std::string& new_path, const std::string& new_text) {
  if (!spec.empty()) return std::string(built_in_name(spec));
  auto named = stated_part(experiment);
  if (!named && settings != nullptr && settings->hardware) return {};
  if (!named) named = hint_of(experiment);
  if (!named) return {};
  auto again = stated_hardware(Source(new_path, new_text));
  if (!again) again = guess_hardware(new_path, new_text);
  return again && again->name == named->name ? std::string() : named->name;
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
