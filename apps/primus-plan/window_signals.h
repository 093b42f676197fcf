#pragma once

#include <csignal>
#include <functional>

namespace primus_plan::app {

/// The window's size changes, or the program goes on after a stop. libedit draws anew inside the signal's handler and
/// frees memory there, which must not happen while memory is in use; here both signals wait until somebody waits for a
/// key, and drawing is done outside the handler. One at a time.
class WindowSignals {
 public:
  WindowSignals();
  ~WindowSignals();
  WindowSignals(const WindowSignals&) = delete;
  WindowSignals& operator=(const WindowSignals&) = delete;

  /// Waits until something can be read, and calls `each` with SIGWINCH or SIGCONT for such a signal. False when another
  /// signal came (errno EINTR), or the descriptor cannot be waited for.
  bool wait_for_input(int descriptor, const std::function<void(int signal)>& each) const;

 private:
  sigset_t before_{};   ///< what was blocked
  sigset_t waiting_{};  ///< what stays blocked while a key is waited for
};

}  // namespace primus_plan::app
