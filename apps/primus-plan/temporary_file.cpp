#include "temporary_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>

namespace primus_plan::app {

namespace {

/// A name that a handler of signals can read: it must neither lock nor allocate.
struct Slot {
  enum State : int { free, taken, filled };
  std::atomic<int> state{free};
  std::array<char, 4096> name{};
};

/// More than there are threads; who finds none free goes without.
std::array<Slot, 64> slots;

extern "C" void remove_and_end(int signal) {
  for (Slot& slot : slots) {
    if (slot.state == Slot::filled) ::unlink(slot.name.data());
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// Signals that somebody else handles, or that are ignored, stay as they are.
void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) std::signal(signal, remove_and_end);
  }
  // A file that grows past the limit of the shell (ulimit -f) is told as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
}

Slot* take_slot(const std::string& name) {
  static std::once_flag once;
  std::call_once(once, handle_signals);
  for (Slot& slot : slots) {
    int expected = Slot::free;
    if (name.size() >= slot.name.size() || !slot.state.compare_exchange_strong(expected, Slot::taken)) continue;
    std::memcpy(slot.name.data(), name.c_str(), name.size() + 1);
    slot.state = Slot::filled;
    return &slot;
  }
  return nullptr;
}

void give_back(void* slot) {
  if (slot != nullptr) static_cast<Slot*>(slot)->state = Slot::free;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) {
  constexpr int most_tries = 100;
  std::random_device random;
  for (int i = 0; i < most_tries && descriptor_ < 0; ++i) {
    name_ = fmt::format("{}.{:08x}", path, random());
    slot_ = take_slot(name_);  // before the file is there, so that no signal comes between
    descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor_ >= 0) return;
    give_back(std::exchange(slot_, nullptr));
    if (errno != EEXIST) break;
  }
  name_.clear();
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!name_.empty()) ::unlink(name_.c_str());
  give_back(slot_);
}

bool TemporaryFile::take_place_of(const std::string& path) {
  if (::close(std::exchange(descriptor_, -1)) != 0 || ::rename(name_.c_str(), path.c_str()) != 0) return false;
  name_.clear();
  give_back(std::exchange(slot_, nullptr));
  return true;
}

}  // namespace primus_plan::app
