#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::app {

/// Exit codes of every command.
constexpr int exit_clean = 0;
constexpr int exit_findings = 1;
constexpr int exit_trouble = 2;

/// The command could not do its job: bad usage, nothing to read, nowhere to write. Exit code 2.
class Trouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "SENTENCE [CF212 bad-set]": wrong usage that a rule speaks of, in words that its page shows.
std::string with_rule(std::string_view sentence, std::string_view rule_id);

/// What runs once the flags are parsed; gives back the exit code.
using Run = std::function<int()>;

/// One command. Its file declares the flags on `app` and gives back what to run; `tokens` is what stood after `--`.
struct Command {
  std::string_view name;
  std::string_view description;
  Run (*declare)(CLI::App& app, const std::vector<std::string>& tokens);
};

/// All commands, in the order of the help. A new command is one file and one line here.
std::span<const Command> commands();

Run declare_check(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_resolve(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_estimate(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_accuracy(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_hardware(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_plan(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_keys(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_layout(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_pipeline(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_what_if(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_explain(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_rules(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_completion(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_man(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_config(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_sweep(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_diff(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_translate(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_advise(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_models(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_init(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_schema(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_lsp(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_report(CLI::App& app, const std::vector<std::string>& tokens);
Run declare_why(CLI::App& app, const std::vector<std::string>& tokens);

/// Runs the program: finds the command, parses its flags, runs it. Never throws.
int run_program(int argc, const char* const* argv);

}  // namespace primus_plan::app
