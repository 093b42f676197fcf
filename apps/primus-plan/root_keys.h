#pragma once

#include <bitset>
#include <string_view>

#include "primus_plan/config/experiment.h"

namespace primus_plan::app {

/// What the keys at the top level of a text tell of it.
struct RootKeys {
  bool modules = false;
  bool extends = false;
  std::bitset<experiment_folder_keys.size()> of_folder;  ///< which of experiment_folder_keys

  /// Whether this is meant to be a whole experiment: it has `modules`, or what only experiments have, so that one whose
  /// `modules` is misspelt or out of place is looked at, too.
  bool seem_experiment() const { return modules || of_folder.count() > 1; }
  /// Whether this is one, or may become one by what it extends.
  bool may_be_experiment() const { return seem_experiment() || extends; }
};

/// Finds these keys by the look of a text alone, before anything is parsed: what tells the experiments of a folder from
/// its other YAML files. Knows block mappings at any indentation, mappings in braces (JSON), keys in quotes and behind
/// `?`, tags and anchors, all line breaks of YAML, and UTF-16. Reads the text once; texts that are no YAML may pass.
RootKeys find_root_keys(std::string_view text);

}  // namespace primus_plan::app
