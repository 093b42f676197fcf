#include "planned_file.h"

#include <fmt/core.h>

#include "command.h"
#include "options.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/report/plan.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

std::string own_text(const Experiment& experiment) {
  const Source* source = own_source(experiment);
  return source != nullptr ? source->text() : std::string();
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

void write_planned(const PlannedFile& file, const ProposedPlan& plan, const std::string& path,
                   const std::string& hardware, const Settings* settings) {
  const std::string part = part_to_write(hardware, file.experiment, settings, path, file.text);
  const WrittenPlan written = file.with(plan.overrides, plan.point.candidate.world_size, part);
  const LoadResult again = file.loader.load_text(path, written.text, file.reading);
  if (!written.left_out.empty() || again.experiments.empty()) {
    throw Trouble(
        fmt::format("--write {}: {} cannot be edited where it stands; use --emit and put the block in by hand", path,
                    written.left_out.empty() ? "the file" : join(written.left_out, ", ")));
  }
  Output out(path);
  out.write(written.text);
  out.finish();
  const bool part_is_lost = !hardware.empty() && part.empty();
  say(fmt::format("primus-plan: wrote {}{}\n", path,
                  part_is_lost ? fmt::format("; --hardware {} is not in it", hardware) : ""));
}

std::string plan_block(const ProposedPlan& plan, std::int64_t gpus_per_node, std::int64_t stated_world) {
  const LaunchComment size{
      .world_size = plan.point.candidate.world_size, .gpus_per_node = gpus_per_node, .hardware = {}};
  const bool resized = stated_world > 0 && stated_world != size.world_size;
  return (resized ? fmt::format("# primus-plan: {}\n", to_words(size)) : "") + overrides_block(plan.overrides, 0);
}

}  // namespace primus_plan::app
