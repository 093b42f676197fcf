#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "primus_plan/config/experiment.h"
#include "primus_plan/config/settings.h"
#include "primus_plan/estimate/fit.h"
#include "primus_plan/planner/plan.h"
#include "primus_plan/planner/written_plan.h"
#include "primus_plan/report/choice.h"

namespace primus_plan::app {

/// The text of the experiment's own file; empty where it has none.
std::string own_text(const Experiment& experiment);

/// An experiment that plans are written into. Keeps references to what it is given.
struct PlannedFile {
  const Experiment& experiment;
  std::string text;  ///< the file's, or what was made around a model
  ExperimentOptions reading;
  const Loader& loader;
  const FitTarget& target;
  Choice choice;  ///< of the settings, as check applies it
  std::int64_t gpus_per_node = 8;

  /// The file with a plan in it. `hardware`: the part that its launch comment is to name; empty: as it stands.
  WrittenPlan with(const CandidateOverrides& overrides, std::int64_t world_size, const std::string& hardware) const;

  /// The warnings that check gives the file with a plan in it; nothing where it cannot be written.
  std::optional<std::size_t> warnings(const CandidateOverrides& overrides, std::int64_t world_size) const;
};

/// Writes the file with a plan in it to a new `path`. `hardware`: what --hardware says. Throws Trouble where a key
/// cannot be edited where it stands.
void write_planned(const PlannedFile& file, const ProposedPlan& plan, const std::string& path,
                   const std::string& hardware, const Settings* settings);

/// The overrides of a plan, under a launch comment where the file states another size (0: none).
std::string plan_block(const ProposedPlan& plan, std::int64_t gpus_per_node, std::int64_t stated_world);

}  // namespace primus_plan::app
