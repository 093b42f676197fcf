#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "support/paths.h"

namespace primus_plan::test {
namespace {

constexpr std::chrono::seconds time_limit{60};

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

std::vector<std::string> environment_of(const ProcessOptions& options) {
  std::vector<std::string> result;
  for (const char* name :
       {"PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "PRIMUS_PLAN_UNDER_VALGRIND"}) {
    if (const char* value = std::getenv(name)) result.push_back(std::string(name) + "=" + value);
  }
  for (const auto& [name, value] : options.environment) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// In the child: only calls that are safe after fork.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         const ProcessOptions& options, const Pipe& in, const Pipe& out, const Pipe& err) {
  ::dup2(in.read_end, STDIN_FILENO);
  const bool to_file = !options.stdout_file.empty();
  const int target = to_file ? ::open(options.stdout_file.c_str(), O_WRONLY | O_CREAT, 0600) : out.write_end;
  ::dup2(target, STDOUT_FILENO);
  ::dup2(err.write_end, STDERR_FILENO);
  ::signal(SIGPIPE, options.ignore_pipe_signal ? SIG_IGN : SIG_DFL);
  if (options.folder.empty() || ::chdir(options.folder.c_str()) == 0) ::execve(program, arguments, environment);
  ::_exit(127);
}

/// Feeds the input and collects both outputs until the child has closed them.
void converse(const std::string& input, Pipe& in, Pipe& out, Pipe& err, ProcessResult& result, pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + time_limit * patience();
  std::size_t fed = 0;
  const auto drain = [](int& end, std::string& into) {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(end, buffer.data(), buffer.size());
    if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) Pipe::close_end(end);
  };
  while (out.read_end >= 0 || err.read_end >= 0) {
    if (fed == input.size()) Pipe::close_end(in.write_end);
    std::array<pollfd, 3> ends{pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0},
                               pollfd{in.write_end, POLLOUT, 0}};
    ::poll(ends.data(), ends.size(), 100);
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(child, SIGKILL);
      throw std::runtime_error("the program did not end in time");
    }
    if (ends[0].revents != 0) drain(out.read_end, result.out);
    if (ends[1].revents != 0) drain(err.read_end, result.err);
    if (ends[2].revents != 0) {
      const ssize_t count = ::write(in.write_end, input.data() + fed, input.size() - fed);
      fed = count < 0 ? input.size() : fed + static_cast<std::size_t>(count);
    }
  }
}

}  // namespace

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const ProcessOptions& options) {
  std::vector<std::string> argv = {program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_of(options);
  const std::vector<char*> argv_pointers = pointers(argv);
  const std::vector<char*> environment_pointers = pointers(environment);
  ::signal(SIGPIPE, SIG_IGN);  // a child that does not read its input must not end the tests
  Pipe in;
  Pipe out;
  Pipe err;
  ::fcntl(in.write_end, F_SETFL, O_NONBLOCK);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (options.close_output_early) Pipe::close_end(out.read_end);
  if (child == 0) become(program.c_str(), argv_pointers.data(), environment_pointers.data(), options, in, out, err);
  Pipe::close_end(in.read_end);
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);

  ProcessResult result;
  converse(options.input, in, out, err, result, child);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (result.exit_code == 127) throw std::runtime_error("cannot start " + program);
  return result;
}

namespace {

/// Without the lines that say how far a slow run is: "primus-plan: 3 of 16 files".
std::string without_progress(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    int counts = 0;
    if (std::sscanf(line.c_str(), "primus-plan: %*[0-9,] of %*[0-9,] %n", &counts) != 0 || counts == 0) out += line;
    at = end;
  }
  return out;
}

}  // namespace

ProcessResult run_plan(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  ProcessResult result = run_process(binary().string(), arguments, options);
  if (patience() > 1) result.err = without_progress(result.err);
  return result;
}

}  // namespace primus_plan::test
