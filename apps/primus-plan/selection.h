#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "inputs.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan::app {

/// Tells which experiments reach one of some files: by being it, or by a chain of presets and `extends`.
class Reach {
 public:
  /// `some_vanished`: files were taken away that experiments may need, so those that do not load count.
  explicit Reach(const std::vector<std::string>& files, bool some_vanished = false);
  bool contains(const std::string& experiment, const LoadResult& loaded) const;

 private:
  bool is_target(const std::string& path) const;

  bool some_vanished_;
  std::set<std::string> paths_;  ///< without symbolic links
  std::set<std::string> names_;  ///< their last parts, to look at few paths closely
};

/// What is to be checked.
struct Selection {
  std::vector<Input> inputs;
  std::vector<std::string> targets;  ///< with `affected`: only experiments that reach one of these
  bool affected = false;
  bool some_vanished = false;  ///< with `affected`: files were deleted or renamed
  bool may_be_empty = false;   ///< a list that a program made: nothing to check is no fault
};

/// Which files to check: flags of `check`.
struct SelectionFlags {
  std::vector<std::string> paths;
  std::string files_from;
  std::string changed_since;
  bool affected = false;
  bool only_experiments = false;

  void declare(CLI::App& app);
  /// Throws Trouble for paths that are not there, no path at all, a list that cannot be read, and what git cannot say.
  Selection select() const;
};

}  // namespace primus_plan::app
