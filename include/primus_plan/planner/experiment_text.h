#pragma once

#include <string>
#include <string_view>

#include "primus_plan/planner/first_guess.h"

namespace primus_plan {

/// What a new experiment is about.
struct NewExperiment {
  std::string framework;  ///< "megatron", "torchtitan", "maxtext"
  std::string model;      ///< name of the model preset without ".yaml"
  std::string hardware;   ///< name of the accelerator
  GuessTask task;
  FirstGuess guess;
};

/// The framework's usual way to keep the state of a model.
StateLayout state_layout(std::string_view framework);

/// An experiment as a person would write it: the launch size as a pragma, two lines that say why it is laid out so, and
/// overrides. Empty for frameworks that have no layouts here.
std::string experiment_text(const NewExperiment& experiment);

}  // namespace primus_plan
