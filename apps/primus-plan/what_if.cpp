#include "what_if.h"

#include <memory>

#include "command.h"
#include "part.h"
#include "primus_plan/planner/short_names.h"

namespace primus_plan::app {

namespace {

constexpr const char* session_group = "Session";

int run(const WhatIfOptions& options) {
  const LaunchOptions launch = options.launch.options();
  const bool launches = launch.world_size || launch.nodes || launch.gpus_per_node;
  const bool changes = launches || !options.experiment.sets.empty() || !options.experiment.tokens.empty();
  const bool has_commands = !options.commands.empty() || !options.script.empty();
  // Commands would come from standard input, which is the experiment.
  if (!changes && options.path == "-" && !has_commands) {
    throw Trouble(
        "no change given: use --set KEY=VALUE, --world-size, --nodes, --command, --script, or Primus's "
        "overrides after --");
  }
  return changes && !options.wants_session() ? run_what_if_once(options) : run_what_if_session(options);
}

}  // namespace

Run declare_what_if(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<WhatIfOptions>();
  app.add_option("FILE", options->path,
                 "an experiment; --set, the launch flags and the tokens after -- are the change; without any, commands "
                 "are read: on a terminal with a prompt")
      ->required();
  declare_hardware(app, options->hardware);
  app.add_option("--module", options->module, "the module to look at; default: the one that Primus runs")
      ->type_name("NAME");
  app.add_option("--command", options->commands, "run this command of a session, as in --command 'set tp 4'")
      ->type_name("COMMAND")
      ->allow_extra_args(false)
      ->group(session_group);
  app.add_option("--script", options->script, "run the commands in FILE (- for standard input)")
      ->type_name("FILE")
      ->group(session_group);
  app.add_option("--transcript", options->transcript, "write the commands of the session to FILE, for --script")
      ->type_name("FILE")
      ->group(session_group);
  app.add_flag("-i,--interactive", options->interactive, "go on at the prompt after --set, --command and --script")
      ->group(session_group);
  options->choice.declare(app);
  options->experiment.declare(app, tokens);
  app.get_option("--set")->description("override a value; VALUE is YAML, dots in KEY reach into mappings; " +
                                       short_names_text() + " and hw are known, too");
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
