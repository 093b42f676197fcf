#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// Thrown while a file is being loaded and cannot be loaded at all; carries the one finding that says why, and the
/// texts that the finding's places point into. Caught where an experiment is loaded, never by rules.
class LoadError : public std::runtime_error {
 public:
  using Sources = std::vector<std::shared_ptr<const Source>>;

  explicit LoadError(Finding finding, Sources sources = {})
      : std::runtime_error(finding.message), finding_(std::move(finding)), sources_(std::move(sources)) {}
  const Finding& finding() const { return finding_; }
  const Sources& sources() const { return sources_; }

 private:
  Finding finding_;
  Sources sources_;
};

}  // namespace primus_plan
