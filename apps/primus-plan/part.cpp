#include "part.h"

#include "primus_plan/config/hardware.h"

namespace primus_plan::app {

namespace {

constexpr const char* smallest_part = "MI300X";  // of those that Primus has experiments for

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
  return out;
}

Part find_part(const std::string& spec, const Experiment& experiment, const Settings* settings,
               const FileReader& files) {
  FitTarget target = Parts(spec, files).of(experiment, settings);
  if (target.assumed) return {};
  return {std::move(target.hardware), (spec.empty() ? "taken from " : "") + target.from};
}

}  // namespace primus_plan::app
