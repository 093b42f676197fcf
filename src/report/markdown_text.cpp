#include "report/markdown_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// ASCII letters, digits, and every part of a character beyond ASCII.
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// Characters that begin a list, a heading or a rule at the start of a line ("- x", "# x", "1. x").
bool starts_block(std::string_view text, std::size_t at) {
  if (at == 0) return std::string_view("-+#=").find(text[at]) != std::string_view::npos;
  if (text[at] != '.' && text[at] != ')') return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), is_digit);
}

bool is_markup(std::string_view text, std::size_t at) {
  const char c = text[at];
  // Within a word "_" is plain, and keys are easier to read that way where nothing renders the text.
  if (c == '_') return at == 0 || at + 1 == text.size() || !is_word(text[at - 1]) || !is_word(text[at + 1]);
  return std::string_view("\\`*[]<>&|~$\"").find(c) != std::string_view::npos || starts_block(text, at);
}

std::size_t longest_run(std::string_view text, char of) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string visible = escape_controls(text);
  std::string out;
  out.reserve(visible.size());
  for (std::size_t i = 0; i < visible.size(); ++i) {
    const char c = visible[i];
    if (!is_markup(visible, i))
      out += c;
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += fmt::format("&#{};", static_cast<int>(c));
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  // A code span knows no escapes, and "|" would end a table's cell.
  const std::string visible = escape_controls(text);
  const bool plain = visible.find_first_of("`|") == std::string::npos && !visible.empty() && visible.front() != ' ';
  return plain ? fmt::format("`{}`", visible) : fmt::format("<code>{}</code>", markdown_text(text));
}

std::string markdown_fence(std::string_view language, std::string_view text) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  std::string out = fmt::format("{}{}\n", fence, language);
  while (text.ends_with('\n')) text.remove_suffix(1);
  while (true) {
    const std::size_t line_break = text.find('\n');
    out += escape_controls(text.substr(0, line_break)) + '\n';
    if (line_break == std::string_view::npos) break;
    text.remove_prefix(line_break + 1);
  }
  return out + fence + '\n';
}

}  // namespace primus_plan
