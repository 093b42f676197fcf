#pragma once

#include <chrono>
#include <cstddef>

#include "primus_plan/planner/plan.h"

namespace primus_plan::app {

/// Ends a search at a time limit and at an interrupt, and shows how far it is on standard error. One at a time.
class SearchWatch {
 public:
  /// No limit: 0. `talks`: tells how far the search is when it takes longer than two seconds.
  SearchWatch(double limit_seconds, bool talks);
  /// The line on the terminal goes, and interrupts are what they were.
  ~SearchWatch();
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  /// Keeps a reference to the watch.
  PlanControl control();
  /// Says on standard error what ended a search before its end.
  void tell_end();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_over() const;
  void tell(std::size_t done, std::size_t of);
  void clear();
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Clock::time_point begin_;
  double limit_;
  bool talks_;
  bool terminal_;
  bool shown_ = false;
  double next_ = 2;  ///< seconds until the first line
  void (*handler_before_)(int) = nullptr;
};

}  // namespace primus_plan::app
