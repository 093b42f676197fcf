#include "part.h"

#include "primus_plan/config/hardware.h"

namespace primus_plan::app {

Part find_part(const std::string& spec, const Experiment& experiment, const FileReader& files) {
  if (!spec.empty()) return {find_hardware(spec, files), "--hardware " + spec};
  std::string_view text;
  for (const auto& source : experiment.sources) {
    if (source->path() == experiment.path) text = source->text();
  }
  const auto hint = guess_hardware(experiment.path, text);
  if (!hint) return {};
  return {find_hardware(hint->name, files), "taken from " + hint->from};
}

}  // namespace primus_plan::app
