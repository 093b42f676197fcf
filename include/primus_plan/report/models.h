#pragma once

#include <string>
#include <vector>

#include "primus_plan/backends/model_list.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// A table for each framework: preset, parameters, layers, hidden size, heads, experts.
std::string models_to_text(const std::vector<ListedModel>& models, const TextStyle& style);
std::string models_to_markdown(const std::vector<ListedModel>& models);
/// {"presets": root, "models": [{"backend", "model", "preset", "parameters", "layers", "hidden", "heads", …}]}; null
/// for what the model does not have or nobody knows.
std::string models_to_json(const std::vector<ListedModel>& models, const std::string& presets);

}  // namespace primus_plan
