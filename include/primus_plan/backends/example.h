#pragma once

#include <memory>
#include <string>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan {

/// What `check` says of a rule's example.
struct CheckedExample {
  std::vector<Finding> findings;  ///< of loading, of the launch size, then of each module
  LoadResult loaded;
  std::vector<std::shared_ptr<const Source>> sources;  ///< with `loaded`, owners of what the findings point into
};

/// Checks examples as files "experiment.yaml" over the built-in presets, each at its world size and in its environment
/// alone. The first line may ask for arguments of the command line: "# run with: ARGUMENTS".
/// Without --hardware, memory is judged against an MI300X that nobody named. Presets are parsed once
/// for all. May be used from many threads.
class ExampleChecker {
 public:
  ExampleChecker() : loader_(files_, Environment()) {}
  CheckedExample check(const Example& example) const;
  /// The same with another text in place of the example's own.
  CheckedExample check(const Example& example, const std::string& text) const;

 private:
  MemoryFiles files_;
  Loader loader_;
};

}  // namespace primus_plan
