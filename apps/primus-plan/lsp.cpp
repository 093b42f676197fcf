#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "command.h"
#include "primus_plan/lsp/frames.h"
#include "primus_plan/lsp/session.h"
#include "workbench.h"

namespace primus_plan::app {

namespace {

constexpr std::size_t most_at_once = 1U << 20U;

struct Options {
  ExperimentFlags experiment;
  LaunchFlags launch;
  ChoiceFlags choice;
  bool stdio = false;
};

bool is_waiting() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

/// Waits for bytes on standard input and takes what is there; nothing at its end.
std::string read_some() {
  std::string bytes;
  std::array<char, 65536> buffer;
  do {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Trouble(fmt::format("cannot read standard input: {}", std::strerror(errno)));
    if (count == 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  } while (bytes.empty() || (bytes.size() < most_at_once && is_waiting()));
  return bytes;
}

int run(const Options& options) {
  // An editor that went away is no reason to be ended by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  Workbench workbench(options.experiment, options.launch, options.choice);
  lsp::Session session(workbench, tool_info());
  lsp::FrameReader frames;
  Output output(std::nullopt);
  while (!session.is_over()) {
    const std::string bytes = read_some();
    if (bytes.empty()) return exit_clean;
    const std::vector<std::string> messages = frames.feed(bytes);
    std::string answers;
    for (const std::string& answer : session.receive(messages)) answers += lsp::make_frame(answer);
    output.write(answers);
    if (frames.is_broken()) throw Trouble("standard input holds no messages of the Language Server Protocol");
  }
  return session.was_shut_down() ? exit_clean : exit_findings;
}

}  // namespace

Run declare_lsp(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_flag("--stdio", options->stdio, "talk over standard input and output, as is always done: for editors");
  options->choice.declare(app);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
