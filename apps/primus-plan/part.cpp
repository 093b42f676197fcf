#include "part.h"

#include <algorithm>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"

namespace primus_plan::app {

namespace {

std::size_t errors_of(const std::vector<Analysis>& analyses) {
  std::size_t out = 0;
  for (const Analysis& analysis : analyses) out += analysis.errors;
  return out;
}

}  // namespace

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

}  // namespace primus_plan::app
