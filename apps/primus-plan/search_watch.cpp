#include "search_watch.h"

#include <fmt/core.h>

#include <atomic>
#include <csignal>
#include <utility>

#include "output.h"
#include "primus_plan/support/number.h"

namespace primus_plan::app {

namespace {

/// The rest of the limit is left for ranking and the report, which take the longer the more was found.
constexpr double share_for_searching = 0.82;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remember_interrupt(int /*signal*/) { interrupted = true; }

/// Who is asked to end the program by the second interrupt: whoever removes unfinished files, say.
std::atomic<void (*)(int)> handler_before{SIG_DFL};

extern "C" void remember_first_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, handler_before);
}

/// Without SA_RESTART: a read that waits for a line ends, too.
void (*install(void (*handler)(int)))(int) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before);
  return before.sa_handler;
}

std::string counted_of(std::size_t done, std::size_t of, const std::string& noun) {
  // "3 of 16 groups of candidates": the plural is the first word's.
  const std::size_t blank = noun.find(' ');
  const std::string rest = blank == std::string::npos ? "" : noun.substr(blank);
  return fmt::format("{} of {}{}", with_commas(static_cast<std::int64_t>(done)),
                     counted(static_cast<std::int64_t>(of), noun.substr(0, blank)), rest);
}

}  // namespace

Interrupts::Interrupts(Second second) {
  interrupted = false;
  before_ = install(second == Second::is_remembered ? remember_interrupt : remember_first_interrupt);
  handler_before = before_;
}

Interrupts::~Interrupts() { install(before_); }

bool Interrupts::seen() const { return interrupted; }

void Interrupts::forget() { interrupted = false; }

SearchWatch::SearchWatch(const Interrupts* interrupts, WatchOptions options)
    : interrupts_(interrupts), options_(std::move(options)), begin_(Clock::now()), next_(options_.silent_seconds) {}

PlanControl SearchWatch::control() {
  PlanControl out;
  out.stop = [this] { return is_over(); };
  out.progress = [this](std::size_t done, std::size_t of) { tell(done, of); };
  return out;
}

bool SearchWatch::is_over() const {
  return (interrupts_ != nullptr && interrupts_->seen()) ||
         (options_.limit_seconds > 0 && seconds() >= share_for_searching * options_.limit_seconds);
}

void SearchWatch::tell(std::size_t done, std::size_t of) {
  if (!options_.talks || seconds() < next_) return;
  next_ = seconds() + (line_.is_at_terminal() ? 0.2 : 5);
  line_.show(fmt::format("primus-plan: {}", counted_of(done, of, options_.noun)));
}

void SearchWatch::tell_end(std::string_view what_there_is) {
  line_.clear();
  const bool was_interrupted = interrupts_ != nullptr && interrupts_->seen();
  say(fmt::format("primus-plan: stopped by {}; {}\n", was_interrupted ? "an interrupt" : "--time-limit",
                  what_there_is));
}

}  // namespace primus_plan::app
