#include "support/pty.h"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "support/paths.h"
#include "support/utf8.h"

namespace primus_plan::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* prompt = "what-if> ";

std::vector<std::string> environment_of(const PtyOptions& options) {
  std::vector<std::string> out{"TERM=" + options.term, "LC_ALL=C.UTF-8",
                               "XDG_STATE_HOME=/dev/null"};  // no history of the person who runs tests
  for (const char* name :
       {"PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "PRIMUS_PLAN_UNDER_VALGRIND"}) {
    if (const char* value = std::getenv(name)) out.push_back(std::string(name) + "=" + value);
  }
  for (const auto& [name, value] : options.environment) {
    std::erase_if(out, [&name = name](const std::string& one) { return one.starts_with(name + "="); });
    out.push_back(name + "=" + value);
  }
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

winsize size_of(int columns, int rows) {
  winsize out{};
  out.ws_col = static_cast<unsigned short>(columns);
  out.ws_row = static_cast<unsigned short>(rows);
  return out;
}

}  // namespace

Pty::Pty(const std::vector<std::string>& arguments, const PtyOptions& options) {
  std::vector<std::string> words{"primus-plan"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_of(options);
  const std::string program = options.program.empty() ? binary().string() : options.program;
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(environment);
  winsize size = size_of(options.columns, options.rows);
  child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (child_ < 0) throw std::runtime_error("forkpty failed");
  if (child_ > 0) return;
  if (options.folder.empty() || ::chdir(options.folder.c_str()) == 0)
    ::execve(program.c_str(), argv.data(), envp.data());
  ::_exit(127);
}

Pty::~Pty() {
  if (terminal_ >= 0) ::close(terminal_);
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
}

void Pty::type(const std::string& keys) {
  if (::write(terminal_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("the terminal takes no more");
}

bool Pty::read_some(std::chrono::milliseconds limit) {
  pollfd waiting{.fd = terminal_, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, static_cast<int>(limit.count())) <= 0) return false;
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(terminal_, buffer.data(), buffer.size());
  if (count <= 0) return false;
  seen_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool Pty::has_ended() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

std::string Pty::wait_for(const std::string& text, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit * patience();
  std::size_t found = seen_.find(text, at_);
  while (found == std::string::npos && std::chrono::steady_clock::now() < end) {
    if (!read_some(100ms) && has_ended()) {
      while (read_some(0ms)) {
      }
      found = seen_.find(text, at_);
      break;
    }
    found = seen_.find(text, at_);
  }
  const std::size_t stop = found == std::string::npos ? seen_.size() : found + text.size();
  std::string out = seen_.substr(at_, stop - at_);
  at_ = stop;
  return out;
}

std::string Pty::run(const std::string& line) {
  type(line + "\r");
  wait_for("\n");
  return wait_for(prompt);
}

void Pty::resize(int columns, int rows) {
  winsize size = size_of(columns, rows);
  ::ioctl(terminal_, TIOCSWINSZ, &size);
}

void Pty::signal(int number) { ::kill(child_, number); }

int Pty::exit_code() {
  for (int i = 0; i < 200 * patience(); ++i) {
    read_some(10ms);
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) == child_) {
      while (read_some(0ms)) {
      }
      child_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(50ms);
  }
  return -1;
}

namespace {

/// One line of a terminal, as wide as it must be; a cell is a character's bytes.
class ScreenLine {
 public:
  void put(const std::string& character) {
    cells_.resize(std::max(cells_.size(), at_ + 1), " ");
    cells_[at_++] = character;
  }
  void move_to(std::size_t column) { at_ = column; }
  std::size_t column() const { return at_; }
  void erase_to_end() { cells_.resize(std::min(cells_.size(), at_)); }
  /// Blanks that only drew over something do not count.
  std::string take() {
    std::string out;
    for (const std::string& cell : cells_) out += cell;
    if (drawn_over_) out.erase(out.find_last_not_of(' ') + 1);
    *this = ScreenLine();
    return out;
  }
  void carriage_return() {
    drawn_over_ = true;
    at_ = 0;
  }

 private:
  std::vector<std::string> cells_;
  std::size_t at_ = 0;
  bool drawn_over_ = false;
};

/// Does what the control sequence at `text[at]` (ESC [ … letter) says of the line; gives the place of its letter.
std::size_t obey(const std::string& text, std::size_t at, ScreenLine& line) {
  const std::size_t begin = at + 2;
  std::size_t end = begin;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  const std::size_t count = std::max(1, std::atoi(text.c_str() + begin));
  switch (end < text.size() ? text[end] : ' ') {
    case 'K':
      line.erase_to_end();
      break;
    case 'C':
      line.move_to(line.column() + count);
      break;
    case 'D':
      line.move_to(line.column() - std::min(line.column(), count));
      break;
    case 'G':
      line.move_to(count - 1);
      break;
    default:
      break;
  }
  return end;
}

}  // namespace

std::string plain_text(const std::string& text) {
  std::string out;
  ScreenLine line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i = obey(text, i, line);
    } else if (text[i] == '\n') {
      out += line.take() + '\n';
    } else if (text[i] == '\r') {
      if (i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '\r') line.carriage_return();
    } else if (text[i] == '\b') {
      line.move_to(line.column() - std::min<std::size_t>(line.column(), 1));
    } else if (text[i] != '\x07') {
      const std::size_t begin = i;
      while (i + 1 < text.size() && continues_character(text[i + 1])) ++i;
      line.put(text.substr(begin, i + 1 - begin));
    }
  }
  return out + line.take();
}

}  // namespace primus_plan::test
