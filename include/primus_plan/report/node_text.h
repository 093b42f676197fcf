#pragma once

#include <string>

#include "primus_plan/config/experiment.h"
#include "primus_plan/config/node.h"

namespace primus_plan {

/// A value as JSON with its types kept: integers digit by digit at any size, reals always with a point or exponent, and
/// one-key objects for what JSON lacks: {"$float": "inf"|"-inf"|"nan"}, {"$date"}, {"$datetime"}, {"$bytes": hex},
/// {"$tuple"}, {"$set"}, {"$map": [[key, value], …]} for mappings with keys that are not strings.
std::string node_to_json(const Node& node);

/// {"exp": {…}, "modules": [{"name", "framework", "model", "params"}, …]}: what Primus's runtime sees.
std::string experiment_to_json(const Experiment& experiment);
/// {"document": …}.
std::string document_to_json(const Node& root);

/// How YAML is printed.
struct YamlStyle {
  bool origins = false;  ///< a comment on each line: who set it, and where
};

/// A value as block-style YAML that PyYAML's SafeLoader reads back as the same typed value, ending in a line break.
std::string node_to_yaml(const Node& node, const YamlStyle& style = {});

/// The experiment as a file of Primus's own shape: its keys, then `modules:` with everything merged below `params:`.
std::string experiment_to_yaml(const Experiment& experiment, const YamlStyle& style = {});

}  // namespace primus_plan
