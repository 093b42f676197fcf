#pragma once

#include <stdexcept>
#include <string>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// Thrown while a file is being loaded and cannot be loaded at all; carries the one finding that says why.
/// Caught where an experiment is loaded, never by rules.
class LoadError : public std::runtime_error {
 public:
  explicit LoadError(Finding finding) : std::runtime_error(finding.message), finding_(std::move(finding)) {}
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

}  // namespace primus_plan
