#include "config/tool_comment.h"

#include <algorithm>
#include <array>

#include "support/utf8.h"

namespace primus_plan {
namespace {

constexpr std::string_view marker = "primus-plan";
/// What follows the marker of a comment that lacks its colon and is no prose.
constexpr std::array<std::string_view, 5> known_words{
    "world-size=", "nodes=", "gpus-per-node=", "hardware=", "ignore["};
constexpr std::string_view ignore_start = "ignore[";
constexpr std::string_view blanks = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

/// Follows quoted texts from line to line, so that what looks like a comment inside of one is none. Lines are taken in
/// order.
class Quotes {
 public:
  /// Where the comment of the next line starts: at a `#` after a blank, outside of quotes; npos when there is none.
  std::size_t comment_start(std::string_view line) {
    value_may_start_ = true;
    in_property_ = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const char next = i + 1 < line.size() ? line[i + 1] : ' ';
      if (open_ != '\0') {
        const bool is_escape = open_ == '"' ? c == '\\' : c == '\'' && next == '\'';
        if (is_escape) {
          ++i;
        } else if (c == open_) {
          open_ = '\0';
        }
        value_may_start_ = false;
      } else if (c == '#' && (i == 0 || is_blank(line[i - 1]))) {
        return i;
      } else if ((c == '"' || c == '\'') && value_may_start_ && !in_property_) {
        open_ = c;
      } else if (!is_blank(c)) {
        take_plain(c, is_blank(next));
      }
    }
    return std::string_view::npos;
  }

  /// Whether a quoted text goes on in the next line.
  bool is_open() const { return open_ != '\0'; }

 private:
  /// Values start at the start of a line, after indicators, and after tags and anchors.
  void take_plain(char c, bool before_blank) {
    if (value_may_start_ && (c == '[' || c == '{')) ++depth_;
    if (depth_ > 0 && (c == ']' || c == '}')) --depth_;
    const bool is_property = value_may_start_ && (in_property_ || c == '!' || c == '&');
    const bool is_entry = value_may_start_ && before_blank && (c == '-' || c == '?');
    const bool is_key = c == ':' && (before_blank || depth_ > 0);
    in_property_ = is_property && !before_blank;
    value_may_start_ = is_property || is_entry || is_key || (depth_ > 0 && (c == '[' || c == '{' || c == ','));
  }

  char open_ = '\0';       ///< the quote that is open
  std::size_t depth_ = 0;  ///< brackets that are open
  bool value_may_start_ = true;
  bool in_property_ = false;
};

/// Tells the lines of block scalars ("key: |"), which are text whatever they look like. Lines are asked for in order.
class BlockScalars {
 public:
  /// Takes the rest of a line into account that is not in a block scalar; `comment`: where its comment starts.
  void open_after(std::string_view line, std::size_t comment) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::string_view code = trim(line.substr(0, comment));
    const std::size_t word = code.find_last_of(blanks) + 1;  // npos + 1 is 0
    if (word > 0 && is_header(code.substr(word)) && opens_value(trim(code.substr(0, word)))) {
      parent_ = parent_indent(line, word + (indent == std::string_view::npos ? 0 : indent));
    }
  }

  bool contains(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (parent_ != none && (indent == std::string_view::npos || indent > parent_)) return true;
    parent_ = none;
    return false;
  }

 private:
  /// "|", ">", "|-", ">2+" …
  static bool is_header(std::string_view word) {
    return (word.front() == '|' || word.front() == '>') &&
           word.substr(1).find_first_not_of("+-123456789") == std::string_view::npos;
  }
  /// A key, a dash, or the tag or anchor of a value stands before.
  static bool opens_value(std::string_view before) {
    const std::string_view last = before.substr(before.find_last_of(blanks) + 1);
    return last.ends_with(':') || last.ends_with('-') || last.starts_with('!') || last.starts_with('&');
  }
  /// The column of the key or dash that the scalar belongs to.
  static std::size_t parent_indent(std::string_view line, std::size_t header) {
    std::size_t indent = line.find_first_not_of(' ');
    while (line.substr(indent).starts_with("- ")) {
      const std::size_t next = line.find_first_not_of(' ', indent + 1);
      if (next >= header) break;
      indent = next;
    }
    return indent;
  }

  static constexpr std::size_t none = std::string_view::npos;
  std::size_t parent_ = none;  ///< column of what the open scalar belongs to
};

bool lacks_only_its_colon(std::string_view text) {
  const std::string_view rest = trim(text);
  return !text.empty() && is_blank(text.front()) &&
         std::ranges::any_of(known_words, [rest](std::string_view word) { return rest.starts_with(word); });
}

/// Where the word ignore[…] starts; the size of the text when there is none.
std::size_t ignore_at(std::string_view text) {
  const std::size_t last_end = text.rfind(']');
  if (last_end == std::string_view::npos) return text.size();
  for (std::size_t at = text.find(ignore_start); at < last_end; at = text.find(ignore_start, at + 1)) {
    const bool is_word = at == 0 || is_blank(text[at - 1]) || text[at - 1] == ',';
    if (is_word) return at;
  }
  return text.size();
}

}  // namespace

std::vector<ToolComment> find_tool_comments(const Source& source, std::uint32_t first, std::uint32_t last) {
  std::vector<ToolComment> found;
  if (source.text().find(marker) == std::string::npos) return found;
  const auto lines = static_cast<std::uint32_t>(source.line_starts().size());
  BlockScalars scalars;
  Quotes quotes;
  for (std::uint32_t number = first; number <= std::min(last, lines); ++number) {
    std::string_view line = source.line(number);
    if (number == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    if (!quotes.is_open() && scalars.contains(line)) continue;
    const std::size_t start = quotes.comment_start(line);
    if (!quotes.is_open()) scalars.open_after(line, start);
    if (start == std::string_view::npos) continue;
    std::string_view text = line.substr(start + 1);
    const std::size_t word = text.find_first_not_of(blanks);
    if (word == std::string_view::npos || !text.substr(word).starts_with(marker)) continue;
    text.remove_prefix(word + marker.size());
    const bool has_colon = text.starts_with(':');
    if (has_colon) text.remove_prefix(1);
    if (!has_colon && !lacks_only_its_colon(text)) continue;

    ToolComment comment{.line = number,
                        .alone = trim(line.substr(0, start)).empty(),
                        .whole = {},
                        .text = {},
                        .ignore = {},
                        .reason = {},
                        .has_colon = has_colon};
    const std::size_t code_end = line.substr(0, start).find_last_not_of(blanks) + 1;  // npos + 1 is 0
    comment.whole = line.substr(code_end);
    const std::size_t ignore = has_colon ? ignore_at(text) : text.size();
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
