#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "setup.h"

namespace primus_plan::app {

struct WhatIfOptions {
  std::string path;
  std::string module;
  std::string hardware;
  std::string script;
  std::string transcript;
  std::vector<std::string> commands;
  bool interactive = false;
  ChoiceFlags choice;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;

  /// Whether a session was asked for: one-shot otherwise.
  bool wants_session() const { return interactive || !commands.empty() || !script.empty() || !transcript.empty(); }
};

/// Before and after of the change that the flags say. Gives back the exit code.
int run_what_if_once(const WhatIfOptions& options);

/// Commands from --command, --script, standard input or a terminal. Gives back the exit code.
int run_what_if_session(const WhatIfOptions& options);

}  // namespace primus_plan::app
