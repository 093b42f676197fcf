#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "session/command.h"
#include "support/utf8.h"

namespace primus_plan::session {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view quotes = "\"'";
/// What a quote may stand behind; in the middle of a word it is an apostrophe.
constexpr std::string_view before_quotes = " \t=[{,:";

bool is_one_of(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

/// Goes over a line's characters and knows which are inside of quotes and brackets.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void step(std::size_t at) {
    const char c = text_[at];
    if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
    } else if (is_one_of(quotes, c) && (at == 0 || is_one_of(before_quotes, text_[at - 1]))) {
      quote_ = c;
    } else if (c == '[' || c == '{') {
      ++depth_;
    } else if (c == ']' || c == '}') {
      --depth_;
    }
  }
  bool in_quotes() const { return quote_ != 0; }
  bool in_brackets() const { return depth_ > 0; }

 private:
  std::string_view text_;
  char quote_ = 0;
  int depth_ = 0;
};

/// Where a comment begins: at a # at the beginning or after a blank, outside of quotes; the text's end without one.
std::size_t begin_of_comment(std::string_view text) {
  Reader reader(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '#' && !reader.in_quotes() && (at == 0 || is_one_of(blanks, text[at - 1]))) return at;
    reader.step(at);
  }
  return text.size();
}

/// Where the word that begins at `at` ends: at a blank outside of quotes and brackets.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  Reader reader(text);
  for (; at < text.size(); ++at) {
    if (is_one_of(blanks, text[at]) && !reader.in_quotes() && !reader.in_brackets()) break;
    reader.step(at);
  }
  return at;
}

}  // namespace

bool is_command(const std::string& line) { return Line(line).count() > 0; }

Line::Line(std::string line) : text(std::move(line)) {
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  const std::size_t comment = begin_of_comment(text);
  has_comment = comment < text.size();
  text.erase(comment);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || is_one_of(blanks, text.back())))
    text.pop_back();
  for (std::size_t at = text.find_first_not_of(blanks); at < text.size(); at = text.find_first_not_of(blanks, at)) {
    const std::size_t end = end_of_word(text, at);
    words.push_back({text.substr(at, end - at), at});
    at = end;
  }
}

std::string Line::from(std::size_t index) const {
  return index < words.size() ? text.substr(words[index].at) : std::string();
}

std::string without_quotes(const std::string& word, std::string_view what) {
  std::string out = word;
  if (!word.empty() && is_one_of(quotes, word.front())) {
    if (word.find(word.front(), 1) != word.size() - 1)
      throw Refusal(fmt::format("{}: quotes stand around a whole word, one before and one after it", word));
    out = word.substr(1, word.size() - 2);
  }
  if (out.empty()) throw Refusal(fmt::format("{} is empty", what));
  return out;
}

}  // namespace primus_plan::session
