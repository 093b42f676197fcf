#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/origin.h"
#include "primus_plan/run/candidate.h"

namespace primus_plan {

/// An experiment with a plan's overrides in it.
struct WrittenPlan {
  std::string text;
  std::vector<std::string> left_out;  ///< keys that cannot be edited where they stand (a list over several lines, say)
};

/// Puts overrides into the text of an experiment: values that are there are replaced, others become new lines of the
/// module's overrides; comments and every other byte stay. `snippet`: the keys stand at the top level.
WrittenPlan write_plan_into(const std::string& text, std::string_view module, bool snippet,
                            const CandidateOverrides& overrides);

/// What a comment `# primus-plan: …` says of the launch.
struct LaunchComment {
  std::int64_t world_size = 0;     ///< 0: as it stands
  std::int64_t gpus_per_node = 8;  ///< counts with a world size; told where nodes do not have the usual eight
  std::string hardware;            ///< a built-in part; empty: as it stands
};

/// "world-size=64 gpus-per-node=4 hardware=MI300X".
std::string to_words(const LaunchComment& comment);

/// The text of an experiment whose launch comment says this: in the place of the one that `pragma` points to (the
/// experiment's pragma's origin), else in a line of its own at the beginning. Nodes that it named go, for they follow.
std::string with_launch_comment(const std::string& text, const Origin& pragma, const LaunchComment& comment);

/// The smallest experiment around a model's preset.
std::string experiment_around(std::string_view framework, std::string_view model);

}  // namespace primus_plan
