#pragma once

#include <string>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::test {

/// What `check` makes of a rule's example, or of another text in its place.
struct ExampleReport {
  LoadResult loaded;  ///< owns what the findings point into
  std::vector<Finding> findings;
};
ExampleReport check_example(const Example& example, std::string text);
ExampleReport check_example(const Example& example);

}  // namespace primus_plan::test
