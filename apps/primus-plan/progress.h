#pragma once

#include <chrono>
#include <cstddef>

#include "status_line.h"

namespace primus_plan::app {

/// Says on standard error how far a long run is: nothing for the first two seconds, then on a terminal a line that
/// renews itself, elsewhere a line now and then. For one thread.
class Progress {
 public:
  /// `enabled` false: never says anything. The clock starts here.
  explicit Progress(bool enabled);

  /// `done` of `total` files are through.
  void update(std::size_t done, std::size_t total);
  /// Takes the line off the terminal, so that something else can be printed there.
  void clear() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  StatusLine line_;
  Clock::time_point next_;
};

}  // namespace primus_plan::app
