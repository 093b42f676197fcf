#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/planner/translate.h"
#include "primus_plan/planner/trial.h"

namespace primus_plan {

/// A preset of the target for a model, and what makes it that model.
struct ModelChoice {
  std::string preset;
  std::vector<KeyValue> dimensions;  ///< keys that the preset has other values for
  std::vector<std::string> remarks;
};

/// The preset whose model has the dimensions of `model`; where none has, `named` (what the table of names says, may be
/// empty) if it is of the same architecture, else the nearest, with the dimensions that differ written over it. Throws
/// TranslateError, naming the nearest and where it differs, when no preset is of the same architecture, or when the
/// target has no key for a dimension that differs. Prediction layers, and shared experts of the preset that is named,
/// may differ: compare_models tells them.
ModelChoice choose_preset(const ModelShape& model, std::string_view named, const Backend& target,
                          std::span<const PresetShape> presets);

/// The keys of a framework that say a model's dimensions.
std::vector<std::string> dimension_keys(std::string_view framework);

}  // namespace primus_plan
