#include "config/tool_comment.h"

#include <algorithm>

namespace primus_plan {
namespace {

constexpr std::string_view marker = "primus-plan:";
constexpr std::string_view ignore_start = "ignore[";
constexpr std::string_view blanks = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

/// Where the comment of a line starts: at a `#` after a blank, outside of quotes; npos when there is none.
std::size_t comment_start(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char before = i == 0 ? ' ' : line[i - 1];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '#' && is_blank(before)) {
      return i;
    } else if ((c == '"' || c == '\'') && (is_blank(before) || before == '[' || before == '{' || before == ',')) {
      quote = c;
    }
  }
  return std::string_view::npos;
}

/// Where the word ignore[…] starts; the size of the text when there is none.
std::size_t ignore_at(std::string_view text) {
  for (std::size_t at = text.find(ignore_start); at != std::string_view::npos; at = text.find(ignore_start, at + 1)) {
    const bool is_word = at == 0 || is_blank(text[at - 1]) || text[at - 1] == ',';
    if (is_word && text.find(']', at) != std::string_view::npos) return at;
  }
  return text.size();
}

}  // namespace

std::vector<ToolComment> find_tool_comments(const Source& source, std::uint32_t first, std::uint32_t last) {
  std::vector<ToolComment> found;
  if (source.text().find(marker) == std::string::npos) return found;
  const auto lines = static_cast<std::uint32_t>(source.line_starts().size());
  for (std::uint32_t number = first; number <= std::min(last, lines); ++number) {
    const std::string_view line = source.line(number);
    if (line.find(marker) == std::string_view::npos) continue;
    const std::size_t start = comment_start(line);
    if (start == std::string_view::npos) continue;
    std::string_view text = line.substr(start + 1);
    const std::size_t word = text.find_first_not_of(blanks);
    if (word == std::string_view::npos || !text.substr(word).starts_with(marker)) continue;
    text.remove_prefix(word + marker.size());

    ToolComment comment{.line = number,
                        .alone = trim(line.substr(0, start)).empty(),
                        .whole = {},
                        .text = {},
                        .ignore = {},
                        .reason = {}};
    const std::size_t code_end = line.substr(0, start).find_last_not_of(blanks) + 1;  // npos + 1 is 0
    comment.whole = line.substr(code_end);
    const std::size_t ignore = ignore_at(text);
    comment.text = text.substr(0, ignore);
    if (ignore < text.size()) {
      const std::size_t end = text.find(']', ignore) + 1;
      comment.ignore = text.substr(ignore, end - ignore);
      comment.reason = trim(text.substr(end));
    }
    found.push_back(comment);
  }
  return found;
}

}  // namespace primus_plan
