#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/maxtext/keys.h"
#include "backends/maxtext/model_files/model_files.h"
#include "primus_plan/config/environment.h"
#include "primus_plan/config/node.h"

namespace primus_plan::maxtext {

/// What is wrong with one key before any rule looks at several.
struct KeyFault {
  enum class Kind : unsigned char {
    unknown,     ///< MaxText has no such key
    wrong_type,  ///< pydantic refuses the value
    not_a_choice,
    out_of_range,
    surprising,  ///< accepted, but hardly meant
    derived,     ///< MaxText overwrites it
    nested,      ///< a mapping inside override_model
  };
  Kind kind{};
  std::string key;
  const KeySpec* spec = nullptr;
  NodePtr value;
  Origin key_origin;
  std::string_view expected;  ///< "an integer"; wrong types only
  bool in_override_model = false;
};

/// A value of the experiment that does not reach MaxText, because a stronger layer has another.
struct Shadowed {
  std::string key;
  NodePtr given;
  NodePtr used;
  Origin key_origin;
};

/// An environment variable M_<KEY> that takes part.
struct Variable {
  enum class Fault : unsigned char { none, unreadable, also_in_override_model, also_in_model_file };
  std::string name;
  std::string key;
  std::string text;
  Fault fault = Fault::none;
};

/// The configuration as MaxText sees it, and what happened on the way.
struct LayeredConfig {
  NodePtr values;  ///< flat: every key that some layer sets, after pydantic's coercion
  const ModelFile* model_file = nullptr;
  std::vector<KeyFault> faults;
  std::vector<Shadowed> behind_model_file;   ///< keys that the model file takes over
  std::vector<Shadowed> against_model_file;  ///< override_model keys that MaxText refuses without override_model_config
  std::vector<Variable> variables;
  Origin ignored_override_model;  ///< override_model is no mapping: Primus passes it over
};

/// Puts the layers together as Primus and MaxText do, weakest first: MaxText's base.yml (the fields' defaults), the
/// module's parameters without Primus's own keys, MaxText's model file, override_model, M_<KEY> variables.
/// Sources: primus/backends/maxtext/maxtext_pretrain_trainer.py:init,
/// src/maxtext/configs/pyconfig.py:_initialize_pydantic.
LayeredConfig layer(const Node& params, const Environment& environment);

}  // namespace primus_plan::maxtext
