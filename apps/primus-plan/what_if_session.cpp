#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "command.h"
#include "inputs.h"
#include "load_one.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/support/text.h"
#include "transcript.h"
#include "what_if.h"
#include "what_if_host.h"
#include "what_if_terminal.h"

namespace primus_plan::app {

namespace {

constexpr const char* prompt = "what-if> ";

/// A line of standard input; nothing at its end.
std::optional<std::string> next_input_line() {
  char* line = nullptr;
  std::size_t room = 0;
  const ssize_t length = ::getline(&line, &room, stdin);
  const std::unique_ptr<char, decltype(&std::free)> owner(line, &std::free);
  if (length < 0) return std::nullopt;
  return std::string(line, static_cast<std::size_t>(length));
}

/// What the session is about, with what it points to.
class Desk {
 public:
  explicit Desk(const WhatIfOptions& options)
      : options_(options),
        environment_(options.experiment.make_environment()),
        loader_(files_, environment_),
        flags_(without_sets(options.experiment)),
        setups_(flags_, options.choice, files_, environment_) {}

  session::Subject subject() {
    const GivenFile file = open_given(options_.path);
    const Setup& setup = setups_.of(options_.path);
    session::Subject out;
    out.path = shown_name(options_.path);
    out.text = text_of(file);
    out.loader = &loader_;
    out.experiment = setup.experiment;
    out.choice = setup.choice(options_.path);
    out.module = options_.module;
    out.jobs = std::max(1U, std::thread::hardware_concurrency());
    const LoadResult loaded = load_given({file.path, out.text}, loader_, out.experiment, options_.output);
    const Experiment& experiment = loaded.experiments.front();
    const Launch launch =
        find_launch(options_.launch.options(), environment_, experiment, setup.launch_setting(options_.path));
    const std::size_t at = session::find_module(experiment, out.module);
    out.launch = analyze_nodes(experiment, launch, environment_, {})[at].run.launch;
    out.part = Parts(options_.hardware, files_).of(experiment, setup.settings);
    return out;
  }

 private:
  static ExperimentFlags without_sets(ExperimentFlags flags) {
    flags.sets.clear();
    return flags;
  }

  std::string text_of(const GivenFile& file) const {
    if (file.streamed) return *file.streamed;
    ReadFailure failure;
    auto text = files_.read(file.path, failure);
    if (!text) throw Trouble(fmt::format("cannot read {}: {}", file.path, failure.reason));
    return *std::move(text);
  }

  const WhatIfOptions& options_;
  DiskFiles files_;
  Environment environment_;
  Loader loader_;
  ExperimentFlags flags_;
  Setups setups_;
};

/// Runs lines, prints what comes of them, writes the transcript.
class Runner {
 public:
  Runner(const WhatIfOptions& options, session::Session& session, Output& output)
      : options_(options),
        session_(session),
        output_(output),
        json_(options.output.format == "json"),
        transcript_(options.transcript, options.path) {}

  /// False once the session is over. `where`: "FILE:3", for the message of a script's line that cannot be run.
  bool run_script_line(const std::string& line, const std::string& where) {
    if (was_stopped_ && session::is_command(line)) {
      error_ = fmt::format("{}: {}", where, session::not_run);
      return false;
    }
    const session::Result result = session_.run(line);
    if (result.command.empty()) return true;
    print(result, true);
    transcript_.add(result);
    was_stopped_ = result.was_stopped;
    if (!result.ok) error_ = fmt::format("{}: {}", where, result.error);
    return result.ok && !result.ends;
  }

  /// The same for a line of a person: wrong input is told, and the session goes on.
  bool run_typed_line(const std::string& line) {
    const session::Result result = session_.run(line);
    if (result.command.empty()) return true;
    print(result, false);
    transcript_.add(result);
    if (result.moved()) print_panel();
    return !result.ends;
  }

  void print_panel() { output_.write("\n" + session::panel_to_text(session::panel_of(session_), style()) + "\n"); }
  void write(const std::string& text) { output_.write(text); }
  TextStyle style() const { return options_.output.style(output_.is_terminal()); }
  bool has_failed() const { return !error_.empty(); }
  bool has_run_any() const { return any_; }

  int finish() {
    if (json_) output_.write(any_ ? "\n]\n" : "[]\n");
    output_.finish();
    if (has_failed()) throw Trouble(error_);
    return session_.now()->is_legal() ? exit_clean : exit_findings;
  }

 private:
  void print(const session::Result& result, bool echo) {
    if (json_) {
      output_.write((any_ ? ",\n" : "[\n") + session::result_to_json(result));
    } else {
      if (echo && !options_.output.quiet) output_.write(prompt + escape_controls(result.command) + "\n");
      // What stopped a script is the program's last word.
      if (result.ok || !echo) output_.write(session::result_to_text(result, style()));
    }
    any_ = true;
  }

  const WhatIfOptions& options_;
  session::Session& session_;
  bool was_stopped_ = false;  ///< a search ended by an interrupt: what was to follow it may rely on its end
  Output& output_;
  bool json_;
  Transcript transcript_;
  bool any_ = false;
  std::string error_;
};

/// Commands of a text, up to the first that cannot be run.
bool run_text(Runner& runner, const std::string& text, const std::string& name) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    ++number;
    if (!runner.run_script_line(text.substr(at, end - at), fmt::format("{}:{}", name, number))) return false;
    at = end + 1;
  }
  return true;
}

bool run_input(Runner& runner) {
  std::size_t number = 0;
  while (const auto line = next_input_line()) {
    ++number;
    if (!runner.run_script_line(*line, fmt::format("<stdin>:{}", number))) return false;
  }
  return true;
}

/// --set, --command and --script, in this order; false once the session is over.
bool run_given(const WhatIfOptions& options, Runner& runner, SessionHost& host) {
  for (const std::string& set : options.experiment.sets) {
    std::string line = "set " + set;
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) line[equals] = ' ';
    if (equals + 1 == line.size()) line += "null";  // nothing is YAML's null
    if (!runner.run_script_line(line, "--set " + set)) return false;
  }
  for (const std::string& command : options.commands) {
    if (!runner.run_script_line(command, fmt::format("--command '{}'", command))) return false;
  }
  if (options.script == "-") return run_input(runner);
  return options.script.empty() || run_text(runner, host.read(options.script), options.script);
}

void converse(Runner& runner, session::Session& session, SessionHost& host) {
  Interrupts interrupts(Interrupts::Second::is_remembered);
  Terminal terminal([&session](const std::string& line) { return session::complete(session, line); },
                    HistoryFile(history_path()));
  host.attend(
      [&](const std::string& question) -> std::optional<std::string> {
        const std::size_t last = question.rfind('\n');
        if (last != std::string::npos) runner.write(question.substr(0, last + 1));
        const Terminal::Input input =
            terminal.read((last == std::string::npos ? question : question.substr(last + 1)) + " [y/N] ", false);
        interrupts.forget();
        if (input.end != Terminal::End::line) runner.write("\n");
        return input.end == Terminal::End::line ? std::optional(input.line) : std::nullopt;
      },
      interrupts);
  runner.write(fmt::format("{} ({})\nhelp lists what can be done, Ctrl-D leaves\n",
                           escape_controls(session.subject().path), escape_controls(session.now()->module().name)));
  runner.print_panel();
  while (true) {
    interrupts.forget();
    const Terminal::Input input = terminal.read(prompt, true);
    if (input.end == Terminal::End::closed) break;
    interrupts.forget();
    if (input.end == Terminal::End::interrupted) {
      runner.write("\n");
      continue;
    }
    if (!runner.run_typed_line(input.line)) return;
  }
  runner.write("\n");
}

}  // namespace

int run_what_if_session(const WhatIfOptions& options) {
  const bool given = !options.commands.empty() || !options.script.empty();
  const bool reads_experiment = options.path == "-";
  if (reads_experiment && options.script == "-") throw Trouble("standard input can be read only once");
  const bool at_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && !reads_experiment;
  const bool plain_output = options.output.format == "text" && options.output.file.empty();
  const bool talks_to_user = at_terminal && (options.interactive || !given) && plain_output;
  if (options.interactive && !talks_to_user) {
    throw Trouble("--interactive needs a terminal for input and output, and neither --format json nor --output");
  }
  SessionHost host(!options.output.quiet);
  Desk desk(options);
  session::Session session(desk.subject(), host);
  Output output = options.output.open({options.path});
  Runner runner(options, session, output);
  bool goes_on = run_given(options, runner, host);
  if (goes_on && talks_to_user) {
    converse(runner, session, host);
    runner.finish();
    return exit_clean;
  }
  if (goes_on && !given && !reads_experiment) run_input(runner);
  if (!runner.has_run_any() && !given) {
    throw Trouble(
        "no change given: use --set KEY=VALUE, --world-size, --nodes, Primus's overrides after --, or commands "
        "(--command, "
        "--script, standard input)");
  }
  return runner.finish();
}

}  // namespace primus_plan::app
