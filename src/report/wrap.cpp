#include "report/wrap.h"

#include <algorithm>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::size_t narrowest = 20;  // columns of text beside the indent that breaking is worth while for
constexpr std::size_t readable = 40;   // columns that a column of sentences needs

/// The word without its colours ("ESC [ … m").
std::string without_colors(std::string_view word) {
  std::string out;
  while (!word.empty()) {
    const std::size_t escape = word.find("\x1b[");
    out += word.substr(0, escape);
    if (escape == std::string_view::npos) break;
    const std::size_t end = word.find('m', escape);
    if (end == std::string_view::npos) break;
    word.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::string wrapped(std::string_view line, std::size_t indent, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  if (!style.wraps || width < indent + narrowest) return std::string(line);
  std::string out;
  std::size_t column = 0;
  bool is_first = true;  // of its line
  while (true) {
    // A word with the spaces before it, which go where a line breaks.
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::size_t word = display_width(without_colors(line.substr(begin, end - begin)));
    if (begin == line.size()) return out;
    if (!is_first && column + begin + word > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else {
      out.append(line, 0, begin);
      column += begin;
    }
    out += line.substr(begin, end - begin);
    column += word;
    is_first = false;
    line.remove_prefix(end);
  }
}

std::string wrapped_lines(std::string_view text, const TextStyle& style) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += wrapped(line, indent + 2, style);
    if (line.size() == text.size()) break;
    out += '\n';
    text.remove_prefix(line.size() + 1);
  }
  return out;
}

std::string list_row(std::string_view head, std::string_view rest, const TextStyle& style) {
  const std::size_t column = display_width(without_colors(head));
  const bool beside = !style.wraps || column + readable <= static_cast<std::size_t>(style.width);
  if (beside) return wrapped(std::string(head) + std::string(rest), column, style) + '\n';
  const std::string_view own = head.substr(0, head.find_last_not_of(' ') + 1);
  std::string out = wrapped(own, 4, style) + '\n';
  if (!rest.empty()) out += wrapped("    " + std::string(rest), 4, style) + '\n';
  return out;
}

}  // namespace primus_plan
