#include <utility>

#include "session/command.h"

namespace primus_plan::session {

namespace {

constexpr std::string_view blanks = " \t";

/// Where the word that begins at `at` ends: at a blank outside of quotes and brackets.
std::size_t end_of_word(const std::string& text, std::size_t at) {
  char quote = 0;
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (depth <= 0 && blanks.find(c) != std::string_view::npos) {
      break;
    }
  }
  return at;
}

}  // namespace

Line::Line(std::string line) : text(std::move(line)) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || blanks.find(text.back()) != std::string::npos))
    text.pop_back();
  std::size_t at = text.find_first_not_of(blanks);
  if (at == std::string::npos || text[at] == '#') return;
  while (at != std::string::npos) {
    const std::size_t end = end_of_word(text, at);
    words.push_back({text.substr(at, end - at), at});
    at = text.find_first_not_of(blanks, end);
  }
}

std::string Line::from(std::size_t index) const {
  return index < words.size() ? text.substr(words[index].at) : std::string();
}

}  // namespace primus_plan::session
