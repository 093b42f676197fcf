#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/run/candidate.h"

namespace primus_plan {

/// An experiment with a plan's overrides in it.
struct WrittenPlan {
  std::string text;
  std::vector<std::string> left_out;  ///< keys that cannot be edited where they stand (a list over several lines, say)
};

/// Puts overrides into the text of an experiment: values that are there are replaced, others become new lines of the
/// module's overrides; comments and every other byte stay. `snippet`: the keys stand at the top level. The launch size
/// is written as the file's pragma where it has none; 0: it is not.
WrittenPlan write_plan_into(const std::string& text, std::string_view module, bool snippet,
                            const CandidateOverrides& overrides, std::int64_t world_size);

/// The smallest experiment around a model's preset.
std::string experiment_around(std::string_view framework, std::string_view model);

}  // namespace primus_plan
