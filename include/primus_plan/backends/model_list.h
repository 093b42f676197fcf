#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/model_size.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {

/// A model preset that experiments can name.
struct ListedModel {
  std::string framework;  ///< "megatron"
  std::string preset;     ///< as `model:` names it: "llama3.1_8B.yaml", "diffusion/flux_12b.yaml"
  ModelShape shape;       ///< without layers where its dimensions are not known
  ModelSize size;         ///< of the shape

  /// The preset without ".yaml".
  std::string name() const;
};

/// The model presets of a framework (of all with an empty name), by framework and name; those that only other presets
/// extend are left out. From a Primus tree as --primus-root would name it, else as find_preset_root finds one for an
/// experiment in the working folder. Throws LoadError for a root that is none.
std::vector<ListedModel> list_models(const Loader& loader, const std::optional<std::string>& primus_root,
                                     std::string_view framework);

/// Where list_models reads presets from: a folder, or "built-in".
std::string models_root(const Loader& loader, const std::optional<std::string>& primus_root);

}  // namespace primus_plan
