#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// Thrown while a file is being loaded and cannot be loaded at all; carries the one finding that says why.
/// Caught where an experiment is loaded, never by rules. Whoever keeps the finding keeps `sources` too: its origins point
/// into them.
class LoadError : public std::runtime_error {
 public:
  explicit LoadError(Finding finding, std::vector<std::shared_ptr<const Source>> sources = {})
      : std::runtime_error(finding.message), finding_(std::move(finding)), sources_(std::move(sources)) {}
  const Finding& finding() const { return finding_; }
  const std::vector<std::shared_ptr<const Source>>& sources() const { return sources_; }

 private:
  Finding finding_;
  std::vector<std::shared_ptr<const Source>> sources_;
};

}  // namespace primus_plan
