#include "gpu_part.h"

#include "primus_plan/config/hardware.h"

namespace primus_plan::app {

void declare_hardware_flag(CLI::App& app, std::string& spec) {
  app.add_option("--hardware", spec,
                 "the GPU of the estimates: MI300X, MI300X:nic_gbs=25 (changed numbers), or a file; else what the "
                 "path or the comments of FILE name, else the MI300X")
      ->type_name("PART");
}

GpuPart find_gpu_part(const std::string& spec, const Experiment& experiment, const FileReader& files) {
  if (!spec.empty()) return {find_hardware(spec, files), "--hardware " + spec};
  std::string_view text;
  for (const auto& source : experiment.sources) {
    if (source->path() == experiment.path) text = source->text();
  }
  if (const auto hint = guess_hardware(experiment.path, text)) {
    return {find_hardware(hint->name, files), "taken from " + hint->from};
  }
  return {find_hardware("MI300X", files), "nothing names the GPU; --hardware PART does"};
}

}  // namespace primus_plan::app
