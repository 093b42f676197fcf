#pragma once

#include <string>

#include "primus_plan/config/node.h"

namespace primus_plan {

/// A scalar on one line of YAML, quoted and tagged so that PyYAML's SafeLoader reads the same typed value.
std::string yaml_scalar(const Node& node);

/// Any value on one line, in flow style, with the same promise.
std::string yaml_flow(const Node& node);

}  // namespace primus_plan
