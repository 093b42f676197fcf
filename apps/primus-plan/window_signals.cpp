#include "window_signals.h"

#include <poll.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace primus_plan::app {

namespace {

constexpr std::array<int, 2> signals{SIGWINCH, SIGCONT};

std::array<std::atomic<bool>, signals.size()> came;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remember_window_signal(int signal) { came[signal == signals[0] ? 0 : 1] = true; }

/// Has the handler above in place of libedit's while it lives.
class OwnHandlers {
 public:
  OwnHandlers() {
    struct sigaction action {};
    action.sa_handler = remember_window_signal;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before_[i]);
  }
  ~OwnHandlers() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  OwnHandlers(const OwnHandlers&) = delete;
  OwnHandlers& operator=(const OwnHandlers&) = delete;

 private:
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace

WindowSignals::WindowSignals() {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  for (const int signal : signals) ::sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  waiting_ = before_;
  for (const int signal : signals) ::sigdelset(&waiting_, signal);
}

WindowSignals::~WindowSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool WindowSignals::wait_for_input(int descriptor, const std::function<void(int)>& each) const {
  // A wait that a signal cut short is none of the caller's: what it reads in errno is the end of its input.
  const int errno_before = errno;
  while (true) {
    pollfd input{.fd = descriptor, .events = POLLIN, .revents = 0};
    int ready = 0;
    {
      const OwnHandlers handlers;
      ready = ::ppoll(&input, 1, nullptr, &waiting_);
    }
    bool any = false;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      if (!came[i].exchange(false)) continue;
      any = true;
      each(signals[i]);
    }
    if (ready > 0) {
      errno = errno_before;
      return true;
    }
    if (!any) return false;
  }
}

}  // namespace primus_plan::app
