#include "search_watch.h"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "output.h"
#include "primus_plan/support/number.h"

namespace primus_plan::app {

namespace {

/// An interrupt asks the search to end; a second one ends the program.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remember_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

std::int64_t number(std::size_t value) { return static_cast<std::int64_t>(value); }

/// The rest of the limit is left for ranking and the report, which take the longer the more was found.
constexpr double share_for_search = 0.82;

}  // namespace

SearchWatch::SearchWatch(double limit_seconds, bool talks)
    : begin_(Clock::now()),
      limit_(share_for_search * limit_seconds),
      talks_(talks),
      terminal_(::isatty(STDERR_FILENO) == 1),
      handler_before_(std::signal(SIGINT, remember_interrupt)) {
  interrupted = false;
}

SearchWatch::~SearchWatch() {
  std::signal(SIGINT, handler_before_);
  clear();
}

PlanControl SearchWatch::control() {
  PlanControl out;
  out.stop = [this] { return is_over(); };
  out.progress = [this](std::size_t done, std::size_t of) { tell(done, of); };
  return out;
}

void SearchWatch::tell_end() {
  clear();
  say(fmt::format("primus-plan: stopped by {}; the plans are the best of what was searched\n",
                  interrupted ? "an interrupt" : "--time-limit"));
}

bool SearchWatch::is_over() const { return interrupted || (limit_ > 0 && seconds() >= limit_); }

void SearchWatch::tell(std::size_t done, std::size_t of) {
  if (!talks_ || seconds() < next_) return;
  next_ = seconds() + (terminal_ ? 0.2 : 5);
  const std::string line =
      fmt::format("primus-plan: {} of {} groups of candidates", with_commas(number(done)), with_commas(number(of)));
  say(terminal_ ? fmt::format("\r{}\x1b[K", line) : line + "\n");
  shown_ = terminal_;
}

void SearchWatch::clear() {
  if (shown_) say("\r\x1b[K");
  shown_ = false;
}

}  // namespace primus_plan::app
