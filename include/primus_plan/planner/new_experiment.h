#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "primus_plan/backends/model_list.h"
#include "primus_plan/planner/first_guess.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan {

/// What somebody asks for who has no experiment yet.
struct NewExperimentRequest {
  ListedModel model;
  Hardware hardware;
  std::int64_t gpus = 8;
  std::int64_t gpus_per_node = 8;
  std::int64_t sequence_length = 0;  ///< 0: as long as the model is made for, up to 8192
  std::size_t jobs = 1;              ///< threads of a search
};

/// An experiment that `check` passes, or why there is none.
struct NewExperiment {
  std::string text;    ///< YAML; empty when there is none
  std::string reason;  ///< without a text: what it would need, and the number of GPUs that would do, or the error in
                       ///< the way; with one: the warning that every layout tried has
};

/// Takes the first of first_guesses that check passes and that the memory estimate fits on the hardware; one without a
/// warning before one with. Where none will do, takes the best layout that make_plan finds; refuses only where that
/// finds none. A number of GPUs that would do is one for which this function gives a text. `options` say where presets
/// come from.
NewExperiment make_experiment(const NewExperimentRequest& request, const Loader& loader,
                              const ExperimentOptions& options);

/// A layout as an experiment that a person would write: the launch size as a pragma, two lines that say why it is laid
/// out so, and overrides. Empty for frameworks that have no layouts here.
std::string experiment_text(const NewExperimentRequest& request, const GuessTask& task, const FirstGuess& guess);

/// What first_guesses is asked for a request.
GuessTask guess_task(const NewExperimentRequest& request);

}  // namespace primus_plan
