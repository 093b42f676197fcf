#include "root_keys.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace primus_plan::app {

namespace {

constexpr auto none = std::string_view::npos;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view from(std::string_view text, std::size_t at) { return text.substr(std::min(at, text.size())); }

/// Without the tag and the anchor that may stand before a node.
std::string_view without_properties(std::string_view text) {
  while (text.starts_with('!') || text.starts_with('&')) {
    text = from(text, text.find_first_of(" \t\n"));
    text = from(text, text.find_first_not_of(" \t"));
  }
  return text;
}

/// The place behind the text in quotes that begins at `at`; none when it does not end.
std::size_t behind_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    const bool is_escaped = quote == '"' ? text[at] == '\\' : text.substr(at, 2) == "''";
    if (is_escaped) {
      ++at;
    } else if (text[at] == quote) {
      return at + 1;
    }
  }
  return none;
}

/// The place behind the plain text that begins at `at` in a flow mapping: up to what ends it there.
std::size_t behind_plain(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    const char c = text[at];
    if (std::string_view(",[]{}\n").find(c) != none) return at;
    const char next = at + 1 < text.size() ? text[at + 1] : '\n';
    if (c == ':' && std::string_view(" \t\n,[]{}").find(next) != none) return at;
    if (c == ' ' && next == '#') return at;
  }
  return at;
}

bool is_marker(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || std::string_view(" \t\r").find(line[3]) != none);
}

class Scan {
 public:
  void read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(read_line(line, text));
    }
  }

  const RootKeys& found() const { return found_; }

 private:
  /// How many bytes of `text` are done: those of the line that it begins with, or of a whole mapping in braces.
  std::size_t read_line(std::string_view line, std::string_view text) {
    const std::size_t next = std::min(line.size() + 1, text.size());
    const bool marks_document = is_marker(line);
    if (marks_document) indent_ = none;
    const std::size_t first = line.find_first_not_of(" \t\r", marks_document ? 3 : 0);
    if (first == none || line[first] == '#') return next;
    if (indent_ == none) {
      if (line.starts_with('%')) return next;  // a directive
      const std::string_view root = without_properties(line.substr(first));
      if (root.empty() || root.starts_with('#') || root.starts_with('\r')) return next;  // the root is further down
      indent_ = marks_document ? 0 : first;
      if (root.starts_with('{') && braces_end_) {
        const std::size_t end = read_braces(text, line.size() - root.size());
        braces_end_ = end != none;
        return braces_end_ ? end : next;
      }
      if (marks_document) return next;  // no key may stand there
    }
    // A text that is broken may have its keys at the very left all the same.
    if (first == indent_ || first == 0) see(line.substr(first));
    return next;
  }

  /// Sees the keys of the mapping in braces that begins at `at`. Gives the place behind it; none when it does not end.
  std::size_t read_braces(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    bool is_key = false;  // whether the next word is a key of the root
    while (at < text.size()) {
      const char c = text[at];
      if (c == '{' || c == '[') {
        is_key = ++depth == 1;
      } else if (c == '}' || c == ']') {
        if (--depth == 0) return at + 1;
      } else if (c == ',') {
        is_key = depth == 1;
      } else if (c == '#') {
        at = std::min(text.find('\n', at), text.size());
      } else if (std::string_view(" \t\n\r:").find(c) == none) {
        if (is_key) see(text.substr(at));
        is_key = false;
        at = c == '"' || c == '\'' ? behind_quotes(text, at) : behind_plain(text, at);
        if (at == none) return none;
        continue;
      }
      ++at;
    }
    return none;
  }

  /// Takes down the key that a text begins with.
  void see(std::string_view text) {
    const bool is_explicit = text.starts_with("? ");
    if (is_explicit) text = from(text, text.find_first_not_of(" \t", 1));
    text = without_properties(text);
    if (text.starts_with('"') || text.starts_with('\'')) text.remove_prefix(1);
    const auto is = [&](std::string_view key) {
      if (!text.starts_with(key)) return false;
      const std::size_t after = text.find_first_not_of("\"' \t\n\r", key.size());
      return after == none ? is_explicit : text[after] == ':';
    };
    if (is("modules")) found_.modules = true;
    if (is("extends")) found_.extends = true;
    for (std::size_t i = 0; i < experiment_folder_keys.size(); ++i) {
      if (is(experiment_folder_keys[i])) found_.of_folder.set(i);
    }
  }

  std::size_t indent_ = none;  ///< of the root's keys, in characters; none before the first of them
  bool braces_end_ = true;     ///< false: some do not, and no others are looked through: all would be, to the end
  RootKeys found_;
};

/// The text with "\n" for every line break that YAML knows besides: of old Macs, NEL, and those of Unicode.
std::string with_plain_breaks(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '\r', '\n');
  for (const std::string_view other : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    for (std::size_t at = out.find(other); at != none; at = out.find(other, at + 1))
      out.replace(at, other.size(), "\n");
  }
  return out;
}

}  // namespace

RootKeys find_root_keys(std::string_view text) {
  using namespace std::string_view_literals;
  const bool is_wide =
      text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text.starts_with("\0\0\xFE\xFF"sv);
  if (is_wide) {  // which the reader refuses: it has to be told all the same
    std::string narrow;
    std::ranges::copy_if(text, std::back_inserter(narrow), [](char c) { return c > '\0'; });
    return find_root_keys(narrow);
  }
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string plain;
  const bool has_other_breaks = text.find('\r') != none || text.find("\xC2\x85") != none ||
                                text.find("\xE2\x80\xA8") != none || text.find("\xE2\x80\xA9") != none;
  if (has_other_breaks) text = plain = with_plain_breaks(text);
  Scan scan;
  scan.read(text);
  return scan.found();
}

}  // namespace primus_plan::app
