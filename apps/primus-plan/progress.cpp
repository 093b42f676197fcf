#include "progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include "output.h"

namespace primus_plan::app {

namespace {

using namespace std::chrono_literals;

constexpr auto silence = 2s;
constexpr auto on_terminal = 100ms;
constexpr auto elsewhere = 10s;

}  // namespace

Progress::Progress(std::string_view program, bool enabled)
    : program_(program), enabled_(enabled), terminal_(::isatty(STDERR_FILENO) == 1), next_(Clock::now() + silence) {}

Progress::~Progress() { clear(); }

void Progress::update(std::size_t done, std::size_t total) {
  if (!enabled_ || Clock::now() < next_) return;
  next_ = Clock::now() + (terminal_ ? Clock::duration(on_terminal) : Clock::duration(elsewhere));
  const std::string line = fmt::format("{}: {} of {} files", program_, done, total);
  terminal_ ? draw_status(line) : say(line + "\n");
  shown_ = terminal_;
}

void Progress::clear() {
  if (shown_) draw_status("");
  shown_ = false;
}

}  // namespace primus_plan::app
