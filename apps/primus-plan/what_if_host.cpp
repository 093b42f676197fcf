#include "what_if_host.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "command.h"
#include "output.h"
#include "primus_plan/config/files.h"
#include "primus_plan/support/text.h"
#include "replace_file.h"

namespace primus_plan::app {

namespace {

/// Before a line says how far a search is, to somebody who waits.
constexpr double patience_seconds = 0.5;

/// Reserves a name that nobody has yet, so that what is then put there replaces nothing else.
void reserve(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) throw session::Refusal(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  ::close(file);
}

}  // namespace

void SessionHost::attend(Ask ask, const Interrupts& interrupts) {
  ask_ = std::move(ask);
  interrupts_ = &interrupts;
}

std::optional<bool> SessionHost::confirm(const std::string& question) {
  if (!ask_) return std::nullopt;
  const std::optional<std::string> answer = ask_(question);
  if (!answer) return false;
  std::string_view word = *answer;
  while (!word.empty() && (word.back() == '\n' || word.back() == '\r' || word.back() == ' ')) word.remove_suffix(1);
  return equal_ignoring_case(word, "y") || equal_ignoring_case(word, "yes");
}

std::string SessionHost::read(const std::string& path) {
  ReadFailure failure;
  auto text = DiskFiles().read(path, failure);
  if (!text) throw session::Refusal(fmt::format("cannot read {}: {}", path, failure.reason));
  return *std::move(text);
}

bool SessionHost::exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::not_found;
}

bool SessionHost::is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

void SessionHost::create(const std::string& path, const std::string& text, bool over) {
  if (!over) reserve(path);
  try {
    Output file(path);
    file.write(text);
    file.finish();
  } catch (...) {
    if (!over) ::unlink(path.c_str());
    throw;
  }
}

void SessionHost::remove(const std::string& path) { ::unlink(path.c_str()); }

std::string SessionHost::replace(const std::string& path, const std::string& before, const std::string& after) {
  return replace_file(path, before, after);
}

PlanControl SessionHost::begin_search(const std::string& noun) {
  if (interrupts_ == nullptr) own_.emplace(Interrupts::Second::ends_the_program);
  watch_.emplace(own_ ? &*own_ : interrupts_,
                 WatchOptions{.noun = noun, .limit_seconds = 0, .silent_seconds = patience_seconds, .talks = talks_});
  return watch_->control();
}

bool SessionHost::end_search() {
  watch_.reset();
  const bool interrupted = own_ ? own_->seen() : interrupts_->seen();
  own_.reset();
  return interrupted;
}

}  // namespace primus_plan::app
