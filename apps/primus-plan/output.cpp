#include "output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ascii.h"
#include "command.h"
#include "primus_plan/support/terminal_text.h"

namespace primus_plan::app {

namespace {

/// Devices and pipes ("/dev/stdout") are written straight into: there is nothing to replace.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

/// The permissions that a plainly created file would get.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw Trouble(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

}  // namespace

Output::Output(const std::optional<std::string>& path, Glyphs glyphs) : glyphs_(glyphs), path_(path.value_or("")) {
  is_terminal_ = ::isatty(descriptor_) == 1;
  if (path_.empty()) return;
  if (is_special(path_)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_.emplace(path_);
    descriptor_ = temporary_->descriptor();
  }
  if (descriptor_ < 0) fail(path_, errno);
  is_terminal_ = ::isatty(descriptor_) == 1;
}

Output::~Output() {
  if (!path_.empty() && !temporary_ && descriptor_ >= 0) ::close(descriptor_);
}

void Output::write(std::string_view text) {
  std::string safe;
  if (is_terminal_) text = safe = terminal_text(text);
  if (glyphs_ != Glyphs::as_they_are && in_github_actions() && !text.empty()) {
    const bool begins_line = std::exchange(begins_line_, text.ends_with('\n'));
    text = safe = log_text(text, begins_line);
  }
  if (glyphs_ != Glyphs::ascii) return write_bytes(text);
  write_bytes(to_ascii(text));
}

void Output::write_bytes(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw ReaderGone{};
    } else if (errno != EINTR) {
      fail(path_.empty() ? "standard output" : path_, errno);
    }
  }
}

void Output::finish() {
  if (path_.empty()) return;
  const int file = std::exchange(descriptor_, -1);
  const bool sound = temporary_
                         ? ::fchmod(file, default_mode()) == 0 && ::fsync(file) == 0 && temporary_->take_place_of(path_)
                         : ::close(file) == 0;
  if (!sound) fail(path_, errno);
}

bool in_github_actions() {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  return actions != nullptr && std::string_view(actions) == "true";
}

std::string joined_answers(const std::vector<std::string>& answers, bool json) {
  if (answers.size() == 1) return answers.front();
  std::string text = json ? "[\n" : "";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::string_view answer = answers[i];
    if (json && answer.ends_with('\n')) answer.remove_suffix(1);
    if (i > 0) text += json ? ",\n" : "\n";
    text += answer;
  }
  return json ? text + "\n]\n" : text;
}

void write_stdout(std::string_view text) { Output(std::nullopt).write(text); }

void say(std::string_view text) {
  std::string safe = terminal_text(text);
  if (in_github_actions()) safe = log_text(safe, true);
  std::fwrite(safe.data(), 1, safe.size(), stderr);
}

}  // namespace primus_plan::app
