#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "primus_plan/planner/plan.h"
#include "status_line.h"

namespace primus_plan::app {

/// While it lives, an interrupt (Ctrl-C) is remembered instead of ending the program. One at a time.
class Interrupts {
 public:
  enum class Second : std::uint8_t { ends_the_program, is_remembered };
  explicit Interrupts(Second second);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool seen() const;
  void forget();

 private:
  void (*before_)(int);
};

/// What a search is watched for.
struct WatchOptions {
  std::string noun;           ///< of what it counts, in the singular
  double limit_seconds = 0;   ///< 0: none
  double silent_seconds = 2;  ///< before the first line
  bool talks = true;
};

/// A clock, an eye on interrupts, and a line on standard error that says how far a search is.
class SearchWatch {
 public:
  /// `interrupts`: null where nothing is remembered.
  SearchWatch(const Interrupts* interrupts, WatchOptions options);
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  /// Speaks for this watch, which must outlive it.
  PlanControl control();
  /// Takes the line off the terminal.
  void clear() { line_.clear(); }
  /// Says on standard error what ended a search before its end, and what there is nevertheless: "the plans are …".
  void tell_end(std::string_view what_there_is);

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool is_over() const;
  void tell(std::size_t done, std::size_t of);

  const Interrupts* interrupts_;
  WatchOptions options_;
  Clock::time_point begin_;
  StatusLine line_;
  double next_;  ///< seconds until the next line
};

}  // namespace primus_plan::app
