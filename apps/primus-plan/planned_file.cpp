#include "planned_file.h"

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"

namespace primus_plan::app {

std::string own_text(const Experiment& experiment) {
  for (const auto& source : experiment.sources) {
    if (source->path() == experiment.path) return source->text();
  }
  return {};
}

WrittenPlan PlannedFile::with(const CandidateOverrides& overrides, std::int64_t world_size,
                              const std::string& hardware) const {
  const std::string launched = with_launch_comment(
      text, experiment.pragma.origin, {.world_size = world_size, .gpus_per_node = gpus_per_node, .hardware = hardware});
  return write_plan_into(launched, experiment.modules.front().name, experiment.is_snippet, overrides);
}

std::optional<std::size_t> PlannedFile::warnings(const CandidateOverrides& overrides, std::int64_t world_size) const {
  const WrittenPlan written = with(overrides, world_size, {});
  if (!written.left_out.empty()) return std::nullopt;
  const LoadResult loaded = loader.load_text(experiment.path, written.text, reading);
  if (loaded.experiments.empty() || !loaded.errors.empty()) return std::nullopt;
  const Launch launch = sized_launch(world_size, gpus_per_node);
  std::vector<Analysis> modules =
      analyze(loaded.experiments.front(), launch, loader.environment(), {.with_text = true, .fit = &target});
  apply_choice(modules, choice);
  std::size_t out = 0;
  for (const Analysis& module : modules) out += module.warnings;
  return out;
}

}  // namespace primus_plan::app
