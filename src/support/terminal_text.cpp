#include "primus_plan/support/terminal_text.h"

#include <algorithm>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// Bytes at the start that may pass as they are.
std::size_t harmless(std::string_view text) {
  if (text.front() == '\n' || text.front() == '\t') return 1;
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t passing = harmless(text);
    out += text.substr(0, passing);
    text.remove_prefix(passing);
    if (passing > 0) continue;
    const std::size_t end = std::min(text.find_first_of("\n\t\x1b", 1), text.size());
    out += escape_controls(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace primus_plan
