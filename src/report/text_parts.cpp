#include "report/text_parts.h"

#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/text.h"

namespace primus_plan {

std::string seconds_text(double seconds) {
  // What rounds to 1000 ms is a second.
  return seconds < 0.9995 ? fmt::format("{:.0f} ms", seconds * 1000) : fmt::format("{:.2f} s", seconds);
}

std::string padded(std::string text, std::size_t width) {
  text.append(width - std::min(width, display_width(text)), ' ');
  return text;
}

std::string assumed_size_text(const Launch& launch) {
  return fmt::format("world size {} assumed: {} (set it with --world-size or --nodes)", launch.world_size,
                     launch.source.empty()         ? "the smallest legal one"
                     : launch.source == "one node" ? "one node, as no world size fits these degrees"
                                                   : escape_controls(launch.source));
}

}  // namespace primus_plan
