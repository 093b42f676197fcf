#include "primus_plan/support/terminal_text.h"

#include <algorithm>
#include <array>

#include "primus_plan/support/text.h"
#include "support/utf8.h"

namespace primus_plan {
namespace {

/// Bytes at the start that may pass as they are.
std::size_t harmless(std::string_view text) {
  if (text.front() == '\n' || text.front() == '\t') return 1;
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

/// Bytes of white space at the start of a text, as .NET's TrimStart takes it away; line breaks are none here.
std::size_t white_space(std::string_view text) {
  constexpr std::array<char32_t, 10> others = {'\t', '\v', '\f', ' ', 0x85, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000};
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text, at);
    const bool is_space = std::ranges::find(others, point.value) != others.end() ||
                          (point.value >= 0x2000 && point.value <= 0x200A) || point.value == 0x2028 ||
                          point.value == 0x2029;
    if (!point.valid || !is_space) break;
    at += point.length;
  }
  return at;
}

}  // namespace

std::string log_text(std::string_view text, bool begins_line) {
  constexpr std::string_view old_command = "##[";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\r"), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const std::size_t first = begins_line ? white_space(line) : line.size();
    if (line.substr(std::min(first, line.size())).starts_with("::")) {
      out.append(line.substr(0, first)).append("\\x3a");
      line.remove_prefix(first + 1);
    }
    for (std::size_t at = line.find(old_command); at < line.size(); at = line.find(old_command)) {
      out.append(line.substr(0, at)).append("#\\x23[");
      line.remove_prefix(at + old_command.size());
    }
    out += line;
    begins_line = true;
  }
  return out;
}

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
