#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "command.h"
#include "flag_values.h"
#include "load_one.h"
#include "output.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/presets.h"
#include "primus_plan/config/settings.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/support/text.h"
#include "primus_plan/version.h"

namespace primus_plan::app {

namespace {

constexpr std::array command_table = {
    Command{"check", "say what each experiment will do and what is wrong with it", declare_check},
    Command{"resolve", "print an experiment after all merges", declare_resolve},
    Command{"estimate", "parameters, FLOPs, memory and step time of a run", declare_estimate},
    Command{"accuracy", "compare the estimates with published measurements", declare_accuracy},
    Command{"layout", "show which rank sits in which group and node", declare_layout},
    Command{"pipeline", "draw the schedule of a pipeline over time: passes, bubbles, memory", declare_pipeline},
    Command{"what-if", "show what a change would do: numbers and findings before and after", declare_what_if},
    Command{"plan", "search the parallelism for a model and a number of GPUs, with reasons", declare_plan},
    Command{"hardware", "list the GPUs that estimates know, with their facts", declare_hardware},
    Command{"sweep", "show DP, accumulation, memory and throughput over world sizes, degrees or any key",
            declare_sweep},
    Command{"diff", "show in what two runs differ, and whether they train the same", declare_diff},
    Command{"translate", "say an experiment in another framework", declare_translate},
    Command{"advise", "say where an experiment stands and what would help it most", declare_advise},
    Command{"report", "write everything about an experiment as one HTML page", declare_report},
    Command{"keys", "list the keys of the frameworks and of Primus", declare_keys},
    Command{"models", "list the models that presets describe", declare_models},
    Command{"init", "write a first experiment for a model, a number of GPUs and hardware", declare_init},
    Command{"why", "show where a value comes from and what the runtime makes of it", declare_why},
    Command{"explain", "explain parallelism, batch or choosing; a rule (what, why, how to fix it) or a key",
            declare_explain},
    Command{"rules", "list the rules, or write their manual", declare_rules},
    Command{"config", "show the settings that hold for an experiment, and where each comes from", declare_config},
    Command{"schema", "print the JSON Schema of experiments, for editors, or of reports", declare_schema},
    Command{"lsp", "serve editors: findings, hover, completion, fixes (Language Server Protocol)", declare_lsp},
    Command{"completion", "print a shell's completion script", declare_completion},
    Command{"man", "print this program's manual page", declare_man},
};

const Command* find_command(std::string_view name) {
  const auto found =
      std::find_if(command_table.begin(), command_table.end(), [name](const Command& c) { return c.name == name; });
  return found == command_table.end() ? nullptr : &*found;
}

std::string help_text() {
  std::string text =
      "primus-plan: says what a Primus training run will really do, before a GPU is touched\n\n"
      "usage: primus-plan COMMAND [FLAGS] FILE ... [-- PRIMUS OVERRIDES]\n\n";
  for (const Command& command : command_table) text += fmt::format("  {:<12} {}\n", command.name, command.description);
  return text +
         "\n  primus-plan COMMAND --help lists a command's flags; primus-plan --version prints the versions it speaks "
         "for.\n";
}

std::string version_text() {
  std::string text = fmt::format("primus-plan {}\n", version);
  for (const Backend* backend : backends()) text += fmt::format("  {:<12} {}\n", backend->name(), backend->pinned());
  return text + fmt::format("  {:<12} {}\n", "primus", built_in_version);
}

/// " (did you mean …?)", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  const auto nearest = nearest_names(word, known, 1);
  return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest.front());
}

[[noreturn]] void refuse_command(const std::string& word) {
  std::vector<std::string_view> names;
  names.reserve(command_table.size());
  for (const Command& command : command_table) names.push_back(command.name);
  std::error_code ignored;
  const bool is_path = std::filesystem::exists(word, ignored);
  const std::string hint =
      is_path ? fmt::format("; did you mean primus-plan check {}?", word) : suggestion(word, names);
  const std::string_view kind = word.starts_with('-') ? "flag" : "command";
  throw Trouble(fmt::format("unknown {} {}{}", kind, word, hint.empty() ? " (see primus-plan --help)" : hint));
}

/// What one command calls otherwise than another, or than the tools beside this one do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> same_flags{
    {{"world-size", "gpus"}, {"gpus", "world-size"}, {"gpu", "hardware"}, {"override", "set"}}};

/// The flag of the command that was probably meant; nothing when none is near.
std::string_view meant_flag(std::string_view word, const std::vector<std::string_view>& names) {
  for (const auto& [written, meant] : same_flags) {
    if (word == written && std::find(names.begin(), names.end(), meant) != names.end()) return meant;
  }
  const auto nearest = nearest_names(word, names, 1);
  return nearest.empty() ? std::string_view() : nearest.front();
}

/// Flags that the command does not know, with the nearest one it does.
void refuse_leftovers(const CLI::App& app) {
  const std::vector<std::string> leftovers = app.remaining();
  if (leftovers.empty()) return;
  const auto flag =
      std::find_if(leftovers.begin(), leftovers.end(), [](const std::string& s) { return s.starts_with('-'); });
  if (flag == leftovers.end()) throw Trouble(fmt::format("unexpected argument {}", leftovers.front()));
  const std::string word = flag->substr(0, flag->find('='));
  std::vector<std::string_view> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  // The dashes are no letters to compare.
  const std::string_view meant =
      meant_flag(std::string_view(word).substr(std::min(word.find_first_not_of('-'), word.size())), names);
  throw Trouble(fmt::format("unknown flag {}{}", word,
                            meant.empty() ? std::string() : fmt::format("; did you mean --{}?", meant)));
}

/// A word for values that nothing else is said of; what a positional is says its name.
void name_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options({})) {
    const std::string type = option->get_type_name();
    if (!type.starts_with("TEXT")) continue;
    option->type_name(option->get_positional() && type == "TEXT" ? "" : "WORD");
  }
}

int run_command(const Command& command, std::vector<std::string> arguments, const std::vector<std::string>& tokens) {
  CLI::App app(std::string(command.description), "primus-plan " + std::string(command.name));
  app.allow_extras();
  app.set_help_flag("-h,--help", "this help");
  const Run run = command.declare(app, tokens);
  name_values(app);
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    write_stdout(app.help());
    return exit_clean;
  } catch (const CLI::ParseError& error) {
    refuse_leftovers(app);
    throw Trouble(usage_fault(error, app, command.name));
  }
  refuse_leftovers(app);
  return run();
}

int dispatch(std::vector<std::string> arguments) {
  std::vector<std::string> tokens;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) {
    tokens.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }
  if (arguments.empty()) throw Trouble("no command given (see primus-plan --help)");
  const std::string first = arguments.front();
  arguments.erase(arguments.begin());
  if (first == "help" && !arguments.empty()) {  // help COMMAND
    const Command* command = find_command(arguments.front());
    if (command == nullptr) refuse_command(arguments.front());
    return run_command(*command, {"--help"}, {});
  }
  if (first == "--help" || first == "-h" || first == "help") return write_stdout(help_text()), exit_clean;
  if (first == "--version") return write_stdout(version_text()), exit_clean;
  const Command* command = find_command(first);
  if (command == nullptr) refuse_command(first);
  return run_command(*command, std::move(arguments), tokens);
}

}  // namespace

std::span<const Command> commands() { return command_table; }

namespace {

void complain(std::string_view text) { say(fmt::format("primus-plan: {}\n", escape_controls(text))); }

}  // namespace

int run_program(int argc, const char* const* argv) {
  try {
    return dispatch({argv + std::min(argc, 1), argv + argc});
  } catch (const ReaderGone&) {
    return exit_clean;
  } catch (const NotLoaded&) {
    return exit_findings;
  } catch (const SettingsError& error) {
    for (const std::string& fault : error.faults()) complain(fault);
    return exit_trouble;
  } catch (const LoadError& error) {
    complain(with_rule(error.what(), error.finding().rule->id));
    return exit_trouble;
  } catch (const std::exception& error) {
    complain(error.what());
    return exit_trouble;
  }
}

}  // namespace primus_plan::app
