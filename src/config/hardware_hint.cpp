#include <fmt/core.h>

#include <array>
#include <cctype>

#include "primus_plan/config/hardware.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

constexpr std::array<std::string_view, 5> parts = {"MI250X", "MI300X", "MI325X", "MI350X", "MI355X"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool speaks_of(std::string_view text, std::string_view part) {
  for (std::size_t at = 0; at + part.size() <= text.size(); ++at) {
    if (!equal_ignoring_case(text.substr(at, part.size()), part)) continue;
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = at + part.size() == text.size() || !is_word(text[at + part.size()]);
    if (begins && ends) return true;
  }
  return false;
}

/// The one part that a text speaks of; empty for none, `several` set for more.
std::string_view only_part(std::string_view text, bool& several) {
  std::string_view found;
  for (const std::string_view part : parts) {
    if (!speaks_of(text, part)) continue;
    several = several || !found.empty();
    found = part;
  }
  return several ? std::string_view() : found;
}

/// What follows the # of a line; a # inside quotes only costs a wrong hint that the report names.
std::string_view comment_of(std::string_view line) {
  const std::size_t hash = line.find('#');
  return hash == std::string_view::npos ? std::string_view() : line.substr(hash + 1);
}

}  // namespace

std::optional<HardwareHint> guess_hardware(std::string_view path, std::string_view text) {
  bool several = false;
  if (const std::string_view part = only_part(path, several); !part.empty())
    return HardwareHint{std::string(part), "its path"};
  if (several) return std::nullopt;
  std::optional<HardwareHint> out;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view part = only_part(comment_of(text.substr(0, end)), several);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (several || (out && !part.empty() && out->name != part)) return std::nullopt;
    if (!part.empty() && !out) out = HardwareHint{std::string(part), fmt::format("the comment in line {}", line)};
  }
  return out;
}

}  // namespace primus_plan
