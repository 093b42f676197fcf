#include "progress.h"

#include <fmt/core.h>

namespace primus_plan::app {

namespace {

using namespace std::chrono_literals;

constexpr auto silence = 2s;
constexpr auto on_terminal = 100ms;
constexpr auto elsewhere = 10s;

}  // namespace

Progress::Progress(bool enabled) : enabled_(enabled), next_(Clock::now() + silence) {}

void Progress::update(std::size_t done, std::size_t total) {
  if (!enabled_ || Clock::now() < next_) return;
  next_ = Clock::now() + (line_.is_at_terminal() ? Clock::duration(on_terminal) : Clock::duration(elsewhere));
  line_.show(fmt::format("primus-plan: {} of {} files", done, total));
}

}  // namespace primus_plan::app
