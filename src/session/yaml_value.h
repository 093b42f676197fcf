#pragma once

#include <memory>
#include <string>
#include <vector>

#include "primus_plan/config/node.h"

namespace primus_plan::session {

/// A text as the YAML value it is; what it points into goes to `owners`. Throws Refusal for what is no YAML.
NodePtr yaml_value(const std::string& text, std::vector<std::shared_ptr<const Source>>& owners);

/// The same value as YAML in its shortest form, without comments.
std::string tidy_value(const std::string& text);

}  // namespace primus_plan::session
