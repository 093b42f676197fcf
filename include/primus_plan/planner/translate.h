#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// A module that cannot be said in the other framework: a sentence for the user.
class TranslateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A key of the experiment that the other framework has no counterpart for, or that is not carried over.
struct Untranslated {
  std::string key;
  std::string value;  ///< as YAML text
};

/// The same run in another framework's words.
struct Translation {
  std::string framework;
  std::string config;  ///< module preset: "pre_trainer.yaml"
  std::string model;   ///< model preset: "llama3.1_70B.yaml"
  NodePtr overrides;
  std::vector<Untranslated> lost;
  std::vector<std::string> remarks;  ///< counterparts that are not quite the same, a sentence each
};

/// A model preset with the dimensions of its model.
struct PresetShape {
  std::string name;  ///< without .yaml
  ModelShape model;
};

/// All presets of a framework whose dimensions are known; see list_models.
std::vector<PresetShape> preset_shapes(const Loader& loader, const std::optional<std::string>& primus_root,
                                       std::string_view framework);

/// The target's preset for the same model as the source's preset ("llama3.1_70B.yaml", "llama3-70b"), without .yaml.
/// Nothing when the target has none.
std::optional<std::string_view> model_preset_for(std::string_view framework, std::string_view preset,
                                                 std::string_view target);

/// Says a run in another framework: the model by its dimensions, the same global batch, sequence length and degrees,
/// sharding and recompute as near as the framework has them, the optimizer's main numbers. `analysis` is of a run
/// without errors, with its workload; `presets` are the target's. Dimensions that the nearest preset does not have
/// become overrides. Throws TranslateError for models that the target has neither a preset nor keys for, and for
/// degrees that it cannot express.
Translation translate(const Module& module, const Analysis& analysis, const Backend& target,
                      std::span<const PresetShape> presets);

/// How the model of a translation is the original's, as the estimates see both.
enum class ModelMatch : std::uint8_t {
  same,     ///< the same dimensions and, within half a per cent, the same number of parameters
  told,     ///< but for parts that the target has no keys for: prediction layers, shared experts
  another,  ///< no translation
};
struct ModelComparison {
  ModelMatch match = ModelMatch::same;
  double original = 0;      ///< parameters, without padding of the vocabulary (model_parameters)
  double translation = 0;   ///< parameters
  std::string differences;  ///< "layers 32 and 4, …": in the original and in the translation
};

/// A vocabulary that one side does not know counts as the other's.
ModelComparison compare_models(const ModelShape& original, const ModelShape& translation);

/// "671 B parameters here, 683 B in the original; in the original and here: prediction layers 1 and 0".
std::string to_sentence(const ModelComparison& comparison);

/// Where the stages of a pipeline hold other layers than in the original, a sentence with both; else empty.
std::string stage_difference(const Workload& original, const Workload& translation);

/// Where both share out weights, but over other numbers of ranks, a sentence with both; else empty.
std::string sharding_difference(const Workload& original, const Workload& translation);

}  // namespace primus_plan
